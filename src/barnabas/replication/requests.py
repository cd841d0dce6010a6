"""Requests: a follower's next request to its leader.

Each names the leader epoch, so that an old leader, or an old follower, is refused (KIP-320). An answer
counts only if it is to the last request: what was asked before is of no use then.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FetchNext:
    """Fetch: records from `offset` on.

    `last_epoch` is the epoch of the last record before `offset` (KIP-595); -1 for versions before 12.
    """

    leader_epoch: int
    offset: int
    log_start: int
    last_epoch: int


@dataclass(frozen=True, slots=True)
class AskEpochEnd:
    """OffsetForLeaderEpoch: where does `epoch` end in the leader's log?"""

    leader_epoch: int
    epoch: int


@dataclass(frozen=True, slots=True)
class AskOffsets:
    """ListOffsets: where does the leader's log begin, and where does it end?"""

    leader_epoch: int


FollowerRequest = FetchNext | AskEpochEnd | AskOffsets
