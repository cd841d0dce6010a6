"""Divergence: where the logs of leader and follower differ, by leader epochs.

Source: KIP-101, KIP-279, KIP-595; Kafka's Partition.readRecords and
AbstractFetcherThread.getOffsetTruncationState.
"""

from typing import NamedTuple, Protocol

from barnabas.errors import ErrorCode


class EpochEnd(NamedTuple):
    """A leader epoch, and the offset at which it ends in a log. Either may be -1: not known."""

    epoch: int
    end_offset: int


class EpochHistory(Protocol):
    """The epochs of one log, each with its first offset."""

    latest: int
    """The newest epoch, -1 if there is none."""

    def end_offset(self, epoch: int, log_end: int, /) -> tuple[int, int]:
        """The largest epoch not above `epoch`, and where it ends; (-1, -1) if that is not known."""
        ...


class Truncation(NamedTuple):
    """Where a follower cuts its log, and whether it may fetch then or must ask once more."""

    offset: int
    is_complete: bool


def divergence(
    history: EpochHistory, log_end: int, last_epoch: int, offset: int
) -> EpochEnd | ErrorCode | None:
    """Compare a reader whose last record before `offset` is of `last_epoch` with the leader's log.

    Returns what the reader must truncate to, None if the logs agree, and OFFSET_OUT_OF_RANGE if the
    leader does not know the epoch.
    """
    epoch, end_offset = history.end_offset(last_epoch, log_end)
    if epoch < 0 or end_offset < 0:
        return ErrorCode.OFFSET_OUT_OF_RANGE
    if epoch < last_epoch or end_offset < offset:
        return EpochEnd(epoch, end_offset)
    return None


def truncation(
    history: EpochHistory, log_end: int, high_watermark: int, leader: EpochEnd
) -> Truncation:
    """Where a follower must cut its log, given what its leader answered for the follower's last epoch.

    Case A: the leader knows nothing of the epoch: all above the high watermark is in doubt.
    Case B: the leader names no epoch (KIP-101 alone): its end of the epoch counts.
    Case C: the follower has records of the leader's epoch: the smaller end of it.
    Case D: it has none: cut to the end of its own next smaller epoch, and ask for that (KIP-279).
    Case E: it has no such epoch at all: the leader's end.
    """
    if leader.end_offset < 0:
        return Truncation(min(high_watermark, log_end), is_complete=True)  # Case A.
    own_epoch, own_end = EpochEnd(*history.end_offset(leader.epoch, log_end))
    if leader.epoch < 0 or own_end < 0:
        return Truncation(min(leader.end_offset, log_end), is_complete=True)  # Cases B and E.
    if own_epoch == leader.epoch:
        return Truncation(min(own_end, leader.end_offset, log_end), is_complete=True)  # Case C.
    return Truncation(min(own_end, log_end), is_complete=False)  # Case D.
