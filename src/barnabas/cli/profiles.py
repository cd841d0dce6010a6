"""`barnabas profiles`: the releases that `serve --profile` can be, and how much of them is here."""

import click

from barnabas.cli.output import show_rows
from barnabas.config.releases import RELEASES, release_line


@click.command()
@click.argument("release", required=False)
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
def profiles(*, release: str | None, as_json: bool) -> None:
    """List the releases of Kafka that a broker can be, or the APIs of one RELEASE.

    A broker offers the APIs of its release that it serves: the column `offered`. What it lacks it does
    not offer, and `why_not` has the reason.
    """
    from barnabas.broker.profiles import profile_of
    from barnabas.broker.unserved import WHY_NOT
    from barnabas.protocol.releases import apis_of

    if release is None:
        rows = [(one, len(profile_of(one).served), len(apis_of(one))) for one in RELEASES]
        columns = ("release", "apis_offered", "apis_of_kafka")
        show_rows(columns, rows, title="Releases of Kafka", as_json=as_json)
        return
    line = release_line(release)
    profile = profile_of(line)
    offered = profile.advertised
    show_rows(
        ("key", "api", "kafka", "offered", "why_not"),
        [
            (
                int(key),
                key.name,
                str(versions),
                str(offered[key]) if key in offered else None,
                WHY_NOT.get(key) if key in profile.lacking else None,
            )
            for key, versions in apis_of(line).items()
        ],
        title=f"APIs of Kafka {line}",
        as_json=as_json,
    )
