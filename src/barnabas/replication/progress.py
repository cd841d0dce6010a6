"""FollowerProgress: a leader's knowledge of one follower.

Source: Kafka's Replica and ReplicaState.
"""

from dataclasses import dataclass

NEVER = -(1 << 62)
"""A time so long ago that it is outside every lag."""


@dataclass(frozen=True, slots=True)
class FollowerProgress:
    """Offsets are -1 until the follower has fetched in this epoch; times are in ms."""

    log_end: int = -1
    """The follower's LEO: the offset of its last fetch."""
    log_start: int = -1
    caught_up_ms: int = NEVER
    """The last time at which the follower had all that the leader had."""
    fetched_ms: int = NEVER
    leader_end: int = -1
    """The leader's end at `fetched_ms`."""
    broker_epoch: int = -1

    def fetched(
        self, offset: int, log_start: int, leader_end: int, now_ms: int, broker_epoch: int
    ) -> "FollowerProgress":
        """Progress after a fetch at `offset`, while the leader's log ends at `leader_end`.

        A follower that reads what the leader had at the fetch before was caught up then: under constant
        load it would never have all that there is now.
        """
        caught_up_ms = self.caught_up_ms
        if offset >= leader_end:
            caught_up_ms = max(caught_up_ms, now_ms)
        elif offset >= self.leader_end >= 0:
            caught_up_ms = max(caught_up_ms, self.fetched_ms)
        return FollowerProgress(offset, log_start, caught_up_ms, now_ms, leader_end, broker_epoch)

    def is_caught_up(self, leader_end: int, now_ms: int, lag_ms: int) -> bool:
        """Whether it has all, or had within `replica.lag.time.max.ms`."""
        return self.log_end == leader_end or now_ms - self.caught_up_ms <= lag_ms
