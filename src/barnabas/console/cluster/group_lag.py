"""The positions and the lag of groups."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from barnabas.client.core.admin.group_descriptions import SHARE, GroupDescription
from barnabas.console.cluster.cluster_state import ClusterState
from barnabas.types import TopicPartition

_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class PartitionLag:
    """A group in one partition; None for a position that is missing or unknown.

    `member`: the member that the partition is assigned to now.
    """

    where: TopicPartition
    position: int | None
    end: int | None
    lag: int | None
    member: str = ""


async def positions_of(
    cluster: ClusterState, groups: Iterable[GroupDescription], topic: str | None = None
) -> dict[str, list[PartitionLag]]:
    """The positions of groups by name: of each, all partitions that it has saved or that are assigned.

    `topic`: only partitions of this one.
    """
    wanted = list(groups)
    saved = _of_topic(topic, await cluster.admin.survey_offsets(wanted))
    shared = _of_topic(topic, await cluster.admin.survey_share_offsets(wanted))
    assigned = {
        one.group_id: {where: each.client_id for each in one.members for where in each.partitions}
        for one in wanted
    }
    assigned = _of_topic(topic, assigned)
    places = {
        where for known in (saved, shared, assigned) for one in known.values() for where in one
    }
    ends = await cluster.ends(places)
    found = {}
    for one in wanted:
        name = one.group_id
        owners = assigned[name]
        if one.kind == SHARE:
            offsets = shared.get(name, {})
            found[name] = [
                PartitionLag(
                    where,
                    offsets[where].start if where in offsets else None,
                    ends.get(where),
                    offsets[where].lag if where in offsets else None,
                    owners.get(where, ""),
                )
                for where in sorted({*offsets, *owners})
            ]
            continue
        positions = {where: each.offset for where, each in saved.get(name, {}).items()}
        found[name] = [
            _position(where, positions, ends, owners) for where in sorted({*positions, *owners})
        ]
    return found


def _of_topic(
    topic: str | None, known: dict[str, dict[TopicPartition, _Value]]
) -> dict[str, dict[TopicPartition, _Value]]:
    """The known lag of groups in the partitions of one topic; None: in all."""
    if topic is None:
        return known
    return {
        name: {where: one for where, one in places.items() if where.topic == topic}
        for name, places in known.items()
    }


def _position(
    where: TopicPartition,
    positions: Mapping[TopicPartition, int],
    ends: Mapping[TopicPartition, int],
    owners: Mapping[TopicPartition, str],
) -> PartitionLag:
    at, end = positions.get(where), ends.get(where)
    lag = None if at is None or end is None else max(0, end - at)
    return PartitionLag(where, at, end, lag, owners.get(where, ""))


def total_lag(positions: Iterable[PartitionLag]) -> int:
    """The lag in all partitions where it is known."""
    return sum(one.lag for one in positions if one.lag is not None)
