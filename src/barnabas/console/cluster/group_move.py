"""New positions for a group: computed and shown first, then saved."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from barnabas.client.core.admin.group_descriptions import SHARE, GroupDescription
from barnabas.console.cluster.cluster_state import ClusterState
from barnabas.console.forms import missing, one_of, time_of, whole_number, wrong
from barnabas.types import TopicPartition

TARGETS: Final = ("earliest", "latest", "offset", "time", "by")
AT_REST: Final = ("Empty", "Dead")
_INT64: Final = (1 << 63) - 1


@dataclass(frozen=True, slots=True)
class PlannedMove:
    """A partition's position now (None: none) and then; `wanted`, if it is out of the log's bounds."""

    where: TopicPartition
    now: int | None
    then: int
    wanted: int | None = None


def blocked(group: GroupDescription) -> str:
    """Why a group cannot be moved; nothing if it can."""
    if group.state in AT_REST:
        return ""
    count = len(group.members)
    return (
        f"{group.group_id} is {group.state} with {count} member{'s' * (count != 1)}: end them "
        "first, they would not see new positions"
    )


async def places_of(
    cluster: ClusterState, query: Mapping[str, str], now: Collection[TopicPartition]
) -> list[TopicPartition]:
    """The partitions that a form names: `topic`, and its `partitions`; without, all in `now`.

    Raises:
        HTTPException: there is no such topic or partition.
    """
    name = query.get("topic", "").strip()
    if not name:
        return sorted(await cluster.ends(now))  # Its topic may be gone.
    view = await cluster.topic(name)
    known = [one.partition for one in view.partitions]
    numbers = query.get("partitions", "").replace(" ", "")
    if not numbers:
        return [TopicPartition(name, one) for one in known]
    found = []
    for text in numbers.split(","):
        one = whole_number({"partitions": text}, "partitions", -1)
        if one not in known:
            raise missing(f"{name} has no partition {text}")
        found.append(TopicPartition(name, one))
    return found


async def planned(
    cluster: ClusterState,
    query: Mapping[str, str],
    places: Collection[TopicPartition],
    now: Mapping[TopicPartition, int],
) -> list[PlannedMove]:
    """The offsets to which a form would move a group (`to`, with `offset`, `time` or `by`), within the logs.

    Raises:
        HTTPException: a word, number or time is wrong.
    """
    target = one_of(query, "to", TARGETS)
    bounds = await cluster.bounds(places)
    if target == "by":
        shift = whole_number(query, "by", 0, low=-_INT64)
        wanted = {where: now[where] + shift for where in places if where in now}
    elif target == "offset":
        wanted = dict.fromkeys(places, whole_number(query, "offset", 0))
    elif target == "time":
        time = time_of(query.get("time", ""))
        found = await cluster.admin.list_offsets(dict.fromkeys(places, time)) if places else {}
        # After the last record there is only the end.
        wanted = {
            where: one.offset if one.offset >= 0 else bounds[where][1]
            for where, one in found.items()
        }
    else:
        wanted = {where: bounds[where][target == "latest"] for where in places}
    moves = []
    for where, offset in sorted(wanted.items()):
        first, end = bounds[where]
        then = min(max(offset, first), end)
        moves.append(PlannedMove(where, now.get(where), then, offset if offset != then else None))
    return moves


def moves_text(moves: Collection[PlannedMove]) -> str:
    """A plan as a form carries it: a line `topic:partition=offset` for each partition."""
    return "\n".join(f"{one.where.topic}:{one.where.partition}={one.then}" for one in moves)


def moves_of(text: str) -> dict[TopicPartition, int]:
    """The offsets of such a plan.

    Raises:
        HTTPException: it is none.
    """
    found = {}
    for line in text.split():
        place, _, offset = line.rpartition("=")
        topic, _, partition = place.rpartition(":")
        numbers = {"partition": partition, "offset": offset}
        where = TopicPartition(topic, whole_number(numbers, "partition", -1))
        if not topic or where.partition < 0 or not offset:
            raise wrong(f"a plan has lines topic:partition=offset, not {line[:60]!r}")
        found[where] = whole_number(numbers, "offset", 0)
    if not found:
        raise wrong("the plan moves nothing")
    return found


async def carry_out(
    cluster: ClusterState, group: GroupDescription, offsets: Mapping[TopicPartition, int]
) -> None:
    """Save new positions; errors as of Admin."""
    admin = cluster.admin
    alter = admin.alter_share_group_offsets if group.kind == SHARE else admin.alter_group_offsets
    await alter(group.group_id, dict(offsets.items()))
    cluster.forget()
