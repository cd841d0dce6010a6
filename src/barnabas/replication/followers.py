"""Followers: what a leader knows of the other replicas, and which of them may be in sync.

Source: KIP-101, KIP-903.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from barnabas.errors import ErrorCode
from barnabas.replication.events import FollowerFetched
from barnabas.replication.fencing import check_leader_epoch, check_replica_epoch
from barnabas.replication.progress import FollowerProgress
from barnabas.types import NodeId


class Followers:
    """`progress` has one entry for each replica but the leader; `is_eligible` says which count.

    `brokers` are those that may be in sync, with their epochs; None: not known, so all may.
    """

    __slots__ = ("brokers", "progress")

    def __init__(self) -> None:
        self.brokers: Mapping[NodeId, int] | None = None
        self.progress: dict[NodeId, FollowerProgress] = {}

    def take(self, node_ids: Iterable[NodeId], isr: frozenset[NodeId], now_ms: int) -> None:
        """Know just these. Those in sync that are new have their whole time to fetch."""
        self.progress = {
            node_id: self.progress.get(
                node_id,
                FollowerProgress(caught_up_ms=now_ms) if node_id in isr else FollowerProgress(),
            )
            for node_id in node_ids
        }

    def refuse(self, event: FollowerFetched, leader_epoch: int) -> ErrorCode | None:
        """Refuse a broker that is no replica, and an earlier life of one that is."""
        if event.node_id not in self.progress:
            # With an epoch that agrees, this leader's list of replicas may be the old one: ask again.
            error = check_leader_epoch(event.leader_epoch, leader_epoch)
            unknown = ErrorCode.UNKNOWN_LEADER_EPOCH
            other = unknown if event.leader_epoch >= 0 else ErrorCode.NOT_LEADER_OR_FOLLOWER
            return error or other
        # Where the controller does not say the epochs of brokers, the last one that fetched counts.
        known = (self.brokers or {}).get(event.node_id, -1)
        newest = max(known, self.progress[event.node_id].broker_epoch)
        return check_replica_epoch(event.broker_epoch, newest) or None

    def fetched(self, event: FollowerFetched, end_offset: int) -> None:
        """Count a fetch as an acknowledgement of all before its offset."""
        self.progress[event.node_id] = self.progress[event.node_id].fetched(
            event.offset, event.log_start, end_offset, event.now_ms, event.broker_epoch
        )

    def is_eligible(self, node_id: NodeId) -> bool:
        """Whether the broker may be in sync: alive, and in the life that fetched (KIP-903)."""
        if self.brokers is None:
            return True
        known = self.brokers.get(node_id)
        fetched = self.progress[node_id].broker_epoch
        return known is not None and (-1 in {known, fetched} or fetched == known)

    def lagging(
        self, node_ids: Iterable[NodeId], end_offset: int, now_ms: int, lag_ms: int
    ) -> set[NodeId]:
        """Those of these that have not been at the log's end for too long."""
        return {
            node_id
            for node_id in node_ids
            if not self.progress[node_id].is_caught_up(end_offset, now_ms, lag_ms)
        }

    def ends(
        self, in_sync: frozenset[NodeId], end_offset: int, now_ms: int, lag_ms: int
    ) -> list[int]:
        """The log ends that the high watermark waits for.

        Besides those in sync it waits for followers that keep up and may join, so that they can.
        """
        return [
            one.log_end
            for node_id, one in self.progress.items()
            if node_id in in_sync
            or (one.is_caught_up(end_offset, now_ms, lag_ms) and self.is_eligible(node_id))
        ]

    def broker_epochs(self, leader: NodeId) -> dict[NodeId, int]:
        """The epochs of all replicas, as far as this broker `leader` knows them; -1: it does not."""
        epochs = {node_id: one.broker_epoch for node_id, one in self.progress.items()}
        epochs[leader] = (self.brokers or {}).get(leader, -1)
        return epochs

    def begin_epoch(self, isr: frozenset[NodeId], now_ms: int, *, follows: bool) -> None:
        """The leader leads on in another epoch: keep what followers have, because nothing was truncated.

        Unless it `follows` the one before: then another broker may have led in between, to which they
        have truncated their logs.
        """
        if not follows:
            self.progress = {}
        # Until followers learn of the epoch their fetches are refused, which is not their delay.
        for node_id in isr & self.progress.keys():
            self.progress[node_id] = replace(self.progress[node_id], caught_up_ms=now_ms)
