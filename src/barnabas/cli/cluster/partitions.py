"""`barnabas partitions`: the partitions of a cluster, or those that need attention."""

from collections.abc import Iterable

import click

from barnabas import Admin
from barnabas.cli.arguments.connection import (
    administering,
    client_settings,
    connection_options,
    existing_partitions,
    existing_topics,
)
from barnabas.cli.arguments.names import TOPIC
from barnabas.cli.arguments.partition_names import parsed
from barnabas.cli.output.output import Cell, json_option, show_rows
from barnabas.client.core.admin.descriptions import Resource
from barnabas.client.core.cluster.cluster_view import PartitionView

COLUMNS = ("topic", "partition", "leader", "replicas", "in_sync", "state")
_OFFLINE, _UNDER_MIN_ISR, _UNDER_REPLICATED = "offline", "under min ISR", "under-replicated"
_NOT_PREFERRED, _MOVING = "not preferred", "moving"
_STATES = {
    "offline": _OFFLINE,
    "under-min-isr": _UNDER_MIN_ISR,
    "under-replicated": _UNDER_REPLICATED,
    "not-preferred": _NOT_PREFERRED,
    "moving": _MOVING,
}
_MIN_ISR = "min.insync.replicas"


@click.command()
@click.argument("places", nargs=-1, type=TOPIC, metavar="[TOPIC[:PARTITION]]...")
@click.option(
    "--only",
    "wanted",
    multiple=True,
    type=click.Choice([*_STATES]),
    help="Only partitions in this state; repeatable.",
)
@click.option("--internal", is_flag=True, help="Include Kafka's internal topics.")
@json_option
@connection_options
def partitions(
    *,
    places: tuple[str, ...],
    wanted: tuple[str, ...],
    internal: bool,
    servers: str,
    pairs: tuple[str, ...],
    as_json: bool,
) -> None:
    """List partitions with their leader and replicas, and what is wrong with them.

    Offline: nobody leads it. Under min ISR: producers with acks=all are refused. Under-replicated: a
    replica is not in sync. Not preferred: another replica than the first leads it; `barnabas elect`
    changes that. Moving: `barnabas reassign status` says how far it is.
    """
    with administering(servers, client_settings(servers, pairs)) as admin:
        # What is wrong is shown wherever it is.
        everything = admin.list_topics(internal=internal or bool(wanted))
        chosen = {*existing_partitions(admin, parsed(places or everything))}
        views = existing_topics(admin, tuple({one.topic for one in chosen}))
        moving = admin.list_partition_reassignments()
        rows: list[tuple[Cell, ...]] = []
        for name, view in sorted(views.items()):
            least = _min_isr(admin, name)
            for one in view.partitions:
                if (name, one.partition) not in chosen:
                    continue
                states = [*_states(one, least)]
                states += [_MOVING] if (name, one.partition) in moving else []
                if not wanted or any(_STATES[each] in states for each in wanted):
                    row = (name, one.partition, one.leader, list(one.replicas), list(one.in_sync))
                    rows.append((*row, ", ".join(states)))
    show_rows(COLUMNS, rows, title=f"Partitions of {servers}", as_json=as_json)


def _states(one: PartitionView, least: int) -> Iterable[str]:
    if one.leader < 0:
        yield _OFFLINE
    if len(one.in_sync) < least:
        yield _UNDER_MIN_ISR
    if len(one.in_sync) < len(one.replicas):
        yield _UNDER_REPLICATED
    if 0 <= one.leader != one.replicas[0]:
        yield _NOT_PREFERRED


def _min_isr(admin: Admin, topic: str) -> int:
    entry = admin.describe_configs(Resource.TOPIC, topic).get(_MIN_ISR)
    return int(entry.value) if entry is not None and entry.value is not None else 1
