"""`barnabas profiles`: the releases that `serve --profile` can emulate, and how completely."""

import click

from barnabas.cli.arguments.names import complete_releases
from barnabas.cli.arguments.usage import usage
from barnabas.cli.output.output import Row, json_option, show_rows
from barnabas.config.releases import RELEASE_07, RELEASES, release_line


@click.command()
@click.argument("release", required=False, shell_complete=complete_releases)
@json_option
def profiles(*, release: str | None, as_json: bool) -> None:
    """List the Kafka releases that a broker can emulate, or the APIs of one RELEASE.

    The column `offered` lists the API versions that the broker supports. If an API is missing,
    `why_not` has the reason. Kafka 0.7 requests have no versions: theirs is 0.
    """
    from barnabas.broker.profiles import profile_of
    from barnabas.broker.unserved import WHY_NOT
    from barnabas.protocol.releases import apis_of

    if release is None:
        of_07 = len(_requests_07())
        rows = [
            (RELEASE_07, of_07, of_07),
            *((one, len(profile_of(one).served), len(apis_of(one))) for one in RELEASES),
        ]
        columns = ("release", "apis_offered", "apis_of_kafka")
        show_rows(columns, rows, title="Releases of Kafka", as_json=as_json)
        return
    with usage():
        line = release_line(release)
    profile = profile_of(line)
    offered = profile.advertised
    show_rows(
        ("key", "api", "kafka", "offered", "why_not"),
        _requests_07()
        if line == RELEASE_07
        else [
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


def _requests_07() -> list[Row]:
    """The requests of Kafka 0.7; all are supported."""
    from barnabas.dialects.kafka07.messages import RequestType

    return [(int(one), one.name, "0", "0", None) for one in RequestType]
