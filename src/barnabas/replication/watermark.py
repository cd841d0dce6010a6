"""The high watermark: the end offset of what all replicas in sync have.

It is what consumers see and what acks=all promises. It never goes back in an epoch: the leader's
only grows, a follower's goes back only where its log is cut below it, after an unclean election.
"""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LogOffsets:
    """A log in [start, end), committed below `high_watermark`.

    Invariant: start <= high_watermark <= end.
    """

    start: int
    end: int
    high_watermark: int


def committed(current: int, leader_end: int, follower_ends: Iterable[int]) -> int:
    """The watermark of a leader: the smallest log end of those that count, or what it was before.

    A follower that has not fetched yet has the end -1, and so holds it where it is.
    """
    return max(current, min(follower_ends, default=leader_end))


def followed(current: int, leaders: int, log_end: int) -> int:
    """The watermark of a follower whose log ends at `log_end`, from that of its leader."""
    return max(current, min(leaders, log_end))


def recovered(checkpointed: int, log_start: int, log_end: int) -> int:
    """The watermark at the start of a broker, from replication-offset-checkpoint (-1: not there).

    The file is written every `replica.high.watermark.checkpoint.interval.ms`, so it may be old, and
    the log may have lost its end.
    """
    return max(log_start, min(checkpointed, log_end))
