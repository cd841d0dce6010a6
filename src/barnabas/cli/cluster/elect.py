"""`barnabas elect`: have the preferred replicas lead again."""

import click

from barnabas.cli.arguments.connection import (
    administering,
    client_settings,
    connection_options,
    existing_partitions,
)
from barnabas.cli.arguments.names import TOPIC
from barnabas.cli.arguments.partition_names import parsed
from barnabas.cli.output.output import Row, counted, json_option, notice, show_rows
from barnabas.types import TopicPartition


@click.command()
@click.argument("places", nargs=-1, type=TOPIC, metavar="[TOPIC[:PARTITION]]...")
@click.option("--all", "everything", is_flag=True, help="All partitions.")
@json_option
@connection_options
def elect(
    *,
    places: tuple[str, ...],
    everything: bool,
    servers: str,
    pairs: tuple[str, ...],
    as_json: bool,
) -> None:
    """Make the first replica of partitions their leader, where it is in sync; lists those that changed.

    For partitions that nobody leads, see `barnabas topics give-up`.
    """
    if bool(places) == everything:
        raise click.UsageError("name topics or partitions, or give --all")
    with administering(servers, client_settings(servers, pairs)) as admin:
        chosen: list[TopicPartition] | None = None
        if places:
            chosen = existing_partitions(admin, parsed(places))
        changed = admin.elect_leaders(chosen)
        topics = admin.describe_topics()
    rows: list[Row] = []
    for place in sorted(changed):
        found = topics[place.topic].numbered(place.partition)
        # The first replica: some brokers may not know yet that it leads.
        rows.append((*place, None if found is None else found.replicas[0]))
    show_rows(("topic", "partition", "leader"), rows, title="Elected", as_json=as_json)
    notice(f"{counted(len(rows), 'leader')} changed")
