"""Rows about a group: its position in each partition, and its members."""

from barnabas import Admin
from barnabas.cli.arguments.partition_names import in_typed_notation
from barnabas.cli.groups.group_advice import explain_transactions
from barnabas.cli.output.output import Cell, objects
from barnabas.client.core.admin.descriptions import LATEST
from barnabas.client.core.admin.group_descriptions import SHARE, GroupDescription, MemberDescription
from barnabas.client.core.cluster.cluster_view import TopicView
from barnabas.types import TopicPartition

MEMBER_DETAILS = ("member_id", "host", "client_id")
"""Further columns of a row per member."""

POSITIONS = ("topic", "partition", "current_offset", "log_end_offset", "lag", *MEMBER_DETAILS)
LISTED = ("group", "type", "state", "protocol_type", "protocol", "members")
MEMBERS = ("member_id", "instance_id", "host", "client_id", "partitions")

_Positions = dict[TopicPartition, tuple[int | None, int | None]]
"""Offset, and lag if a broker reports it."""


def listed(admin: Admin, states: tuple[str, ...], *, lag: bool) -> list[tuple[Cell, ...]]:
    """A row for each group, with the columns `LISTED`; with `lag`, its lag as well."""
    found = admin.survey_groups(states=states)
    lags = _lags(admin, found) if lag else {}
    rows: list[tuple[Cell, ...]] = []
    for one in found:
        row = (
            one.group_id, one.kind, one.state, one.protocol_type, one.assignor, len(one.members),
        )  # fmt: skip
        rows.append((*row, lags.get(one.group_id)) if lag else row)
    return rows


def _lags(admin: Admin, found: list[GroupDescription]) -> dict[str, int]:
    """The sum over all partitions in which a group has a position; none without one.

    A share group's lag comes from its coordinator (from Kafka 4.2 on).
    """
    saved = admin.survey_offsets(found)
    ends = _ends(admin, sorted({where for each in saved.values() for where in each}))
    behind = {
        group: [max(0, ends[where] - one.offset) for where, one in each.items() if where in ends]
        for group, each in saved.items()
    }
    shared = admin.survey_share_offsets(found)
    behind |= {
        group: [one.lag for one in each.values() if one.lag is not None]
        for group, each in shared.items()
    }
    return {group: sum(each) for group, each in behind.items() if each}


def members_of(found: GroupDescription) -> list[tuple[Cell, ...]]:
    """A row for each member, with the columns `MEMBERS`."""
    return [
        (one.member_id, one.instance_id, one.host, one.client_id, _named(one.partitions))
        for one in found.members
    ]


def document(found: GroupDescription, rows: list[tuple[Cell, ...]]) -> dict[str, object]:
    """All about a group, for JSON."""
    return {
        "group": found.group_id,
        "type": found.kind,
        "state": found.state,
        "assignor": found.assignor,
        "coordinator": found.coordinator,
        "members": [
            {
                "member_id": one.member_id,
                "instance_id": one.instance_id,
                "host": one.host,
                "client_id": one.client_id,
                "partitions": [where._asdict() for where in one.partitions],
            }
            for one in found.members
        ],
        "partitions": objects(POSITIONS, rows),
    }


def positions(admin: Admin, found: GroupDescription) -> list[tuple[Cell, ...]]:
    """A row for each partition with a position or a member, as Kafka's own tool prints them.

    Several members of a share group may read one partition: one cell lists them, separated by
    commas.
    """
    at = _shared(admin, found) if found.kind == SHARE else _saved(admin, found)
    owners: dict[TopicPartition, list[MemberDescription]] = {}
    for one in found.members:
        for where in one.partitions:
            owners.setdefault(where, []).append(one)
    places = sorted({*at, *owners})
    ends = _ends(admin, places)
    rows: list[tuple[Cell, ...]] = []
    for where in places:
        end = ends.get(where)
        offset, lag = at.get(where, (None, None))
        # Records after the start of a share group may be done already: only its broker knows.
        if found.kind != SHARE and offset is not None and end is not None:
            lag = max(0, end - offset)
        rows.append((*where, offset, end, lag, *_who(owners.get(where, []))))
    return rows


def _saved(admin: Admin, found: GroupDescription) -> _Positions:
    with explain_transactions():
        saved = admin.list_group_offsets(found.group_id)
    return {where: (one.offset, None) for where, one in saved.items()}


def _shared(admin: Admin, found: GroupDescription) -> _Positions:
    shared = admin.survey_share_offsets([found]).get(found.group_id, {})
    return {where: (one.start, one.lag) for where, one in shared.items()}


def _who(owners: list[MemberDescription]) -> tuple[Cell, ...]:
    if not owners:
        return None, None, None
    cells = zip(*((one.member_id, one.host, one.client_id) for one in owners), strict=True)
    return tuple(",".join(each) for each in cells)


def _ends(admin: Admin, places: list[TopicPartition]) -> dict[TopicPartition, int]:
    """The ends of the partitions that still exist and whose leader knows the end."""
    if not places:
        return {}
    known = admin.describe_topics()
    there = [where for where in places if _is_led(known.get(where.topic), where.partition)]
    with in_typed_notation(there):
        found = admin.list_offsets(dict.fromkeys(there, LATEST)) if there else {}
    return {where: each.offset for where, each in found.items()}


def _is_led(topic: TopicView | None, partition: int) -> bool:
    found = None if topic is None else topic.numbered(partition)
    return found is not None and found.leader >= 0


def _named(partitions: tuple[TopicPartition, ...]) -> list[str]:
    return [f"{where.topic}-{where.partition}" for where in partitions]
