"""Leader: a partition's leader in one leader epoch; a state machine.

It knows no log and no network: events say what was appended and fetched; effects give the high watermark and
the ISR to propose. A new leader epoch is a new object.

Source: Kafka's Partition; KIP-101, KIP-320, KIP-497, KIP-903, KIP-966 (strict minimum ISR).
"""

from dataclasses import dataclass

from barnabas.errors import ErrorCode
from barnabas.replication.divergence import EpochEnd, EpochHistory, divergence
from barnabas.replication.effects import NO_EFFECTS, LeaderEffects
from barnabas.replication.events import (
    Appended,
    BrokersChanged,
    EpochBegun,
    FollowerFetched,
    IsrRefused,
    LeaderEvent,
    LogStartMoved,
    PartitionChanged,
    Ticked,
)
from barnabas.replication.fencing import check_leader_epoch
from barnabas.replication.followers import Followers
from barnabas.replication.isr_proposals import IsrProposals
from barnabas.replication.progress import FollowerProgress
from barnabas.replication.watermark import LogOffsets, committed
from barnabas.types import NodeId

_NO_EPOCH = -1


@dataclass(frozen=True, slots=True)
class Leadership:
    """What the controller decided: `node_id` leads, in `leader_epoch`."""

    node_id: NodeId
    leader_epoch: int
    partition_epoch: int
    isr: frozenset[NodeId]
    replicas: tuple[NodeId, ...]
    """The assigned replicas, the leader among them."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Properties of topic and broker."""

    min_insync_replicas: int = 1
    replica_lag_time_max_ms: int = 30_000
    strict_min_isr: bool = True
    """Whether nothing is committed while the ISR is too small, as Kafka does since 3.7."""


class Leader:
    """The leader of one partition, in one leader epoch or in several that follow each other.

    Invariant: log_start <= high_watermark <= end_offset, and the high watermark grows.
    """

    __slots__ = (
        "_followers",
        "_proposals",
        "end_offset",
        "epoch_start",
        "high_watermark",
        "history",
        "is_alone",
        "leader_epoch",
        "limits",
        "log_start",
        "node_id",
        "replicas",
    )

    def __init__(
        self,
        leadership: Leadership,
        log: LogOffsets,
        history: EpochHistory,
        limits: Limits,
        now_ms: int,
    ) -> None:
        """Begin to lead. The log's history has the new epoch already, from the log's end on.

        Where its records have no epochs (magic 0 and 1) it has none, and no reader is compared with it.
        Nothing that followers had in an earlier epoch counts: each must fetch in this one.
        """
        assert history.latest in {leadership.leader_epoch, _NO_EPOCH}
        self.node_id = leadership.node_id
        self.leader_epoch = leadership.leader_epoch
        self.replicas = leadership.replicas
        self.log_start, self.end_offset, self.high_watermark = (
            log.start,
            log.end,
            log.high_watermark,
        )
        self.epoch_start = log.end
        """Where this epoch begins in the log."""
        self.history = history
        self.limits = limits
        self._proposals = IsrProposals(leadership.isr, leadership.partition_epoch)
        self._followers = Followers()
        self.is_alone = False
        """Whether this replica is in sync, and the only one: what is appended is committed at once."""
        self._take_replicas(now_ms)
        self._advance(now_ms)

    @property
    def isr(self) -> frozenset[NodeId]:
        """The replicas in sync that the controller has confirmed."""
        return self._proposals.in_sync.isr

    @property
    def maximal_isr(self) -> frozenset[NodeId]:
        """The ISR together with the one under way: what the high watermark waits for."""
        return self._proposals.in_sync.maximal

    @property
    def partition_epoch(self) -> int:
        """The version of the state that was confirmed last."""
        return self._proposals.in_sync.partition_epoch

    @property
    def min_isr(self) -> int:
        """`min.insync.replicas`, at most the number of replicas."""
        return min(self.limits.min_insync_replicas, len(self.replicas))

    @property
    def knows_committed_end(self) -> bool:
        """Whether ListOffsets may return the high watermark as the latest; else OFFSET_NOT_AVAILABLE.

        A new leader's watermark may be behind the one before (KIP-207).
        """
        return self.high_watermark >= self.epoch_start

    def progress(self, node_id: NodeId) -> FollowerProgress | None:
        """What is known of a follower; None: it is no replica."""
        return self._followers.progress.get(node_id)

    def append_alone(self, end_offset: int) -> None:
        """As a step with `Appended` where it `is_alone`: the high watermark is `end_offset` then, too."""
        self.end_offset = self.high_watermark = end_offset

    def step(self, event: LeaderEvent) -> LeaderEffects:
        """Take in what happened, and say what to do."""
        before = self.high_watermark
        answer = NO_EFFECTS
        match event:
            case Appended():
                assert event.end_offset >= self.end_offset
                self.end_offset = event.end_offset
            case LogStartMoved():
                assert event.log_start <= self.high_watermark
                self.log_start = max(self.log_start, event.log_start)
            case FollowerFetched():
                answer = self._on_fetch(event)
            case Ticked():
                self._shrink(event.now_ms)
            case PartitionChanged():
                self._on_state(event)
            case IsrRefused():
                self._proposals.refuse(event.error, event.partition_epoch)
            case BrokersChanged():
                self._followers.brokers = event.epochs
        self._advance(event.now_ms)
        outgoing = self._proposals.take_outgoing()
        moved = self.high_watermark if self.high_watermark != before else None
        if outgoing is None and moved is None:
            return answer
        return LeaderEffects(outgoing, moved, answer.error, answer.diverging)

    def examine(
        self, offset: int, leader_epoch: int, last_epoch: int
    ) -> EpochEnd | ErrorCode | None:
        """Check a reader's epochs and offset: an error, where its log diverges, or None.

        Source: KIP-320, KIP-595.
        """
        error = check_leader_epoch(leader_epoch, self.leader_epoch)
        if error:
            return error
        found = None
        if last_epoch >= 0:
            found = divergence(self.history, self.end_offset, last_epoch, offset)
        if offset < self.log_start or (found is None and offset > self.end_offset):
            return ErrorCode.OFFSET_OUT_OF_RANGE
        return found

    def epoch_end(self, leader_epoch: int, epoch: int) -> EpochEnd | ErrorCode:
        """The answer to OffsetForLeaderEpoch: where `epoch`, or the last one before it, ends here.

        Source: KIP-101, KIP-279, KIP-320.
        """
        error = check_leader_epoch(leader_epoch, self.leader_epoch)
        return error or EpochEnd(*self.history.end_offset(epoch, self.end_offset))

    def _on_fetch(self, event: FollowerFetched) -> LeaderEffects:
        """Count a fetch as an acknowledgement of all before its offset, if it is sound."""
        found = self._followers.refuse(event, self.leader_epoch) or self.examine(
            event.offset, event.leader_epoch, event.last_epoch
        )
        if isinstance(found, ErrorCode):
            return LeaderEffects(error=found)
        if found is not None:
            # What the follower has is not what this log has: nothing of it counts.
            return LeaderEffects(diverging=found)
        self._followers.fetched(event, self.end_offset)
        if self._may_join(event.node_id):
            self._propose(self.isr | {event.node_id})
        return NO_EFFECTS

    def _may_join(self, node_id: NodeId) -> bool:
        """Whether to propose a follower: it has all that is committed, and all of earlier epochs."""
        has = self._followers.progress[node_id].log_end
        return (
            self._proposals.pending is None
            and node_id not in self.isr
            and has >= max(self.high_watermark, self.epoch_start)
            and self._followers.is_eligible(node_id)
        )

    def _shrink(self, now_ms: int) -> None:
        """Propose an ISR without those that lag; send again what was not answered."""
        if self._proposals.pending is not None:
            self._proposals.send_again()
            return
        others, lag_ms = self.isr - {self.node_id}, self.limits.replica_lag_time_max_ms
        lagging = self._followers.lagging(others, self.end_offset, now_ms, lag_ms)
        if lagging:
            self._propose(self.isr - lagging)

    def _propose(self, isr: frozenset[NodeId]) -> None:
        epochs = self._followers.broker_epochs(self.node_id)
        self._proposals.propose(isr, epochs, self.leader_epoch)

    def _on_state(self, event: PartitionChanged) -> None:
        """Take the controller's state, unless this one is as new.

        A state of the same partition epoch says nothing of a proposal that is under way.
        """
        if isinstance(event, EpochBegun):
            self._begin_epoch(event)
        elif (
            event.leader_epoch != self.leader_epoch or event.partition_epoch <= self.partition_epoch
        ):
            return
        self.replicas = event.replicas
        self._proposals.confirm(event.isr, event.partition_epoch)
        self._take_replicas(event.now_ms)

    def _begin_epoch(self, event: EpochBegun) -> None:
        """Know what followers have in the next epoch, too: nothing was truncated."""
        assert self.history.latest in {event.leader_epoch, _NO_EPOCH}
        follows = event.leader_epoch <= self.leader_epoch + 1
        self._followers.begin_epoch(event.isr, event.now_ms, follows=follows)
        self.leader_epoch, self.epoch_start = event.leader_epoch, self.end_offset

    def _take_replicas(self, now_ms: int) -> None:
        """Know just the assigned replicas."""
        others = {*self.replicas, *self.isr} - {self.node_id}
        self._followers.take(others, self.isr, now_ms)
        self.is_alone = not self._followers.progress and bool(self.isr)

    def _advance(self, now_ms: int) -> None:
        """Raise the high watermark to what the maximal ISR has."""
        if self.high_watermark >= self.end_offset:
            return  # Most fetches come here: one that waits is for all partitions of its broker.
        if self.limits.strict_min_isr and len(self.isr) < self.min_isr:
            return
        lag_ms = self.limits.replica_lag_time_max_ms
        ends = self._followers.ends(self.maximal_isr, self.end_offset, now_ms, lag_ms)
        self.high_watermark = committed(
            self.high_watermark, self.end_offset, [self.end_offset, *ends]
        )
