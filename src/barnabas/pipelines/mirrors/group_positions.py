"""Positions of groups in mirrored topics: as many records are left in the target as in the source."""

from collections.abc import Collection, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Literal

from barnabas.client.core.admin.descriptions import EARLIEST, LATEST
from barnabas.client.core.arguments.partition_arguments import Where
from barnabas.client.sync.admin import Admin
from barnabas.client.sync.ranges import RangeReader
from barnabas.errors import BrokerError, ErrorCode
from barnabas.migration.saved_offsets import saved_offsets
from barnabas.pipelines.target_topics import reader
from barnabas.pipelines.topic_frames import ClusterAddress, bounds
from barnabas.records.columns.columns import ColumnSelection
from barnabas.spark.options.offsets import OffsetMap
from barnabas.types import TopicPartition

_WINDOW = 10_000
"""How many offsets before the end of a partition are read at first."""

State = Literal["moved", "kept", "refused"]


@dataclass(frozen=True, slots=True)
class GroupPosition:
    """A group's position in one partition, in the source and in the target.

    `state`: "moved"; "kept": the target's position, `was`, is not before the new one; or "refused":
    the group has members in the target.
    """

    group: str
    topic: str
    partition: int
    source_offset: int
    target_offset: int
    was: int | None
    state: State


def move_groups(
    source: ClusterAddress,
    target: ClusterAddress,
    ends: OffsetMap,
    names: Mapping[str, str],
    groups: Collection[str] | None,
) -> list[GroupPosition]:
    """Save the position of each group in the target; a position only moves forward.

    Args:
        source: the cluster that has the positions.
        target: the cluster that gets them.
        ends: up to where each partition of the source was mirrored.
        names: the target's name of each topic.
        groups: the groups; None: all that have positions in these topics.

    Raises:
        KafkaError: a cluster does not answer.
    """
    with (
        source.admin() as theirs,
        target.admin() as ours,
        closing(reader(source)) as reading,
        closing(reader(target)) as writing,
    ):
        starts = bounds(theirs, ends, EARLIEST, source)
        targets = [TopicPartition(names[where.topic], where.partition) for where in ends]
        begins = bounds(ours, targets, EARLIEST, target)
        lasts = bounds(ours, targets, LATEST, target)
        chosen = groups if groups is not None else [each.group_id for each in theirs.list_groups()]
        moved: list[GroupPosition] = []
        for group in sorted(chosen):
            found = []
            for where, saved in sorted(saved_offsets(theirs, group).items()):
                if where not in ends:
                    continue
                # A group may have read on since: what came later is mirrored, and left behind, next time.
                end = ends[where]
                left = reading.count(*where, min(max(saved, starts[where]), end), end)
                there = TopicPartition(names[where.topic], where.partition)
                new = nth_from_end(writing, there, begins[there], lasts[there], left)
                found.append((there, saved, new))
            moved += save_forward(ours, group, found)
        return moved


def nth_from_end(
    reading: RangeReader, where: TopicPartition, begin: int, end: int, count: int
) -> int:
    """The offset of the record behind which `count` - 1 records are left; `end` for none.

    Where there are fewer records, `begin`.
    """
    size = max(_WINDOW, 2 * count)
    while count:
        start = max(begin, end - size)
        parts = [part.offsets for part in reading.read(*where, start, end, ColumnSelection.OFFSET)]
        offsets = [part for part in parts if part is not None]
        if sum(map(len, offsets)) >= count:
            return _from_end(offsets, count)
        if start == begin:
            return begin
        size *= 4
    return end


def _from_end(parts: list[memoryview], count: int) -> int:
    left = count
    for part in reversed(parts):
        if left <= len(part):
            found: int = part[len(part) - left]
            return found
        left -= len(part)
    raise AssertionError("there are as many")


def save_forward(
    admin: Admin, group: str, positions: Iterable[tuple[TopicPartition, int, int]]
) -> list[GroupPosition]:
    """Save a group's positions in partitions where its present position is lower.

    Args:
        admin: of the target.
        group: its name.
        positions: partition of the target, offset in the source, offset in the target.

    Raises:
        BrokerError: the group cannot be changed, for another reason than its members.
    """
    rows = list(positions)
    was = saved_offsets(admin, group)
    ahead: dict[Where, int] = {where: new for where, _, new in rows if was.get(where, -1) < new}
    refused = False
    try:
        if ahead:
            admin.alter_group_offsets(group, ahead)
    except BrokerError as error:
        if error.code not in (ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.NON_EMPTY_GROUP):
            raise
        refused = True
    moved: State = "refused" if refused else "moved"
    return [
        GroupPosition(group, *where, old, new, was.get(where), moved if where in ahead else "kept")
        for where, old, new in rows
    ]
