"""Running moves: the bytes that are left, and progress until the end."""

import time
from collections.abc import Mapping, Sequence

from barnabas import Admin
from barnabas.cli.output.progress import progress_bars
from barnabas.client.core.admin.descriptions import LogDirectory
from barnabas.client.core.admin.reassignments import PartitionReassignment
from barnabas.types import TopicPartition

_PAUSE_SECONDS = 0.5

Moves = Mapping[TopicPartition, PartitionReassignment]
Sizes = Mapping[tuple[int, TopicPartition], int]


def sizes_of(
    directories: Mapping[int, Sequence[LogDirectory]],
) -> dict[tuple[int, TopicPartition], int]:
    """The bytes of each replica, by broker and partition."""
    return {
        (node_id, place): size
        for node_id, found in directories.items()
        for one in found
        for place, size in one.sizes.items()
    }


def bytes_to_copy(
    place: TopicPartition, current: Sequence[int], target: Sequence[int], sizes: Sizes
) -> int:
    """The bytes that the new replicas of a partition lack, compared with its largest replica."""
    whole = max((sizes.get((one, place), 0) for one in current), default=0)
    new = [one for one in target if one not in current]
    return sum(max(0, whole - sizes.get((one, place), 0)) for one in new)


def bytes_left(place: TopicPartition, move: PartitionReassignment, sizes: Sizes) -> int:
    """The bytes that the new replicas still lack."""
    current = [one for one in move.replicas if one not in move.adding]
    return bytes_to_copy(place, current, move.adding, sizes)


def wait_for(admin: Admin, places: Sequence[TopicPartition], total: int, *, quiet: bool) -> None:
    """Return when none of the partitions is being moved; a bar of `total` bytes until then."""
    with progress_bars(quiet=quiet, unit="bytes") as bars:
        bars.begin("moving", total)
        while moves := admin.list_partition_reassignments(places):
            if bars.watched:
                sizes = sizes_of(admin.describe_log_dirs())
                left = sum(bytes_left(place, move, sizes) for place, move in moves.items())
                several = f"moving {len(moves)} of {len(places)} partitions"
                bars.reach(max(0, total - left), total, several)
            time.sleep(_PAUSE_SECONDS)
        bars.reach(total, total, "moved")
