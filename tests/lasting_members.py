"""Properties of a broker whose members stay although they beat only once: as long as any test takes."""

LASTING_MEMBERS = {
    f"group.{kind}.{bound}session.timeout.ms": "600000"
    for kind in ("consumer", "share")
    for bound in ("", "max.")
}
