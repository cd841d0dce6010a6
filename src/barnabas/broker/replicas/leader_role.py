"""LeaderRole: the role of a partition that this broker leads and others follow.

`replication.Leader` decides; this carries out its decisions: on the log, and on waiting requests.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from barnabas.broker.purgatory.purgatory import Purgatory
from barnabas.broker.replicas.partition import Partition
from barnabas.errors import ErrorCode, StorageError
from barnabas.ports import Clock
from barnabas.replication.acknowledgement import acknowledgement, refuse_append
from barnabas.replication.effects import IsrProposal, LeaderEffects
from barnabas.replication.events import (
    Appended,
    BrokersChanged,
    EpochBegun,
    IsrRefused,
    LeaderEvent,
    LogStartMoved,
    PartitionChanged,
    Ticked,
)
from barnabas.replication.leader import Leader, Leadership, Limits
from barnabas.replication.watermark import LogOffsets
from barnabas.types import NodeId, TopicPartition

_MANY = 1 << 40
"""Bytes that are enough for every fetch that waits: it reads again, and sees what there is."""
_TICKED_AT_ONCE = 200
"""Partitions in one step: a few milliseconds."""


class LeaderRolePorts(NamedTuple):
    """What a leader needs of its broker; `propose` sends an ISR to the controller or the registry."""

    clock: Clock
    purgatory: Purgatory
    propose: Callable[[TopicPartition, IsrProposal], None]


class LeaderRole:
    """The time that this broker leads a partition, in one leader epoch or several.

    Consumers and producers with acks=all wait for this object.
    """

    __slots__ = ("_partition", "_ports", "is_over", "leader")

    leads = True
    serves_readers = True

    def __init__(
        self, partition: Partition, leadership: Leadership, limits: Limits, ports: LeaderRolePorts
    ) -> None:
        """Begin to lead from the end of the log on.

        Raises:
            StorageError: the new epoch cannot be written down, or the log has records of a newer one.
        """
        log = partition.log
        log.write_pending()
        log.lead_replicas(leadership.leader_epoch)
        if log.epochs.latest > leadership.leader_epoch:
            # As after a restore of ZooKeeper from a backup. Others must not take these records for later ones.
            raise StorageError(
                f"the log has leader epoch {log.epochs.latest}, and the controller says "
                f"{leadership.leader_epoch}: the state in the registry is older than the log"
            )
        self._partition = partition
        self._ports = ports
        self.is_over = False
        offsets = LogOffsets(log.start_offset, log.written_end, log.high_watermark)
        self.leader = Leader(leadership, offsets, log.epochs, limits, self._now_ms())
        log.high_watermark = self.leader.high_watermark
        log.on_counted = self._on_counted

    @property
    def is_alone(self) -> bool:
        """Whether there is no other replica: what is written is committed."""
        return self.leader.is_alone

    @property
    def knows_committed_end(self) -> bool:
        """Whether the high watermark is not behind that of the leader before (KIP-207)."""
        return self.leader.knows_committed_end

    def refuse_append(self, acks: int) -> ErrorCode:
        """NOT_ENOUGH_REPLICAS where too few replicas are in sync for acks=all."""
        return refuse_append(self.leader, acks)

    def acknowledgement(self, acks: int, end_offset: int) -> ErrorCode | None:
        """The answer to an append that ends at `end_offset`; None: not yet."""
        if self.is_over:
            return ErrorCode.NOT_LEADER_OR_FOLLOWER
        return acknowledgement(self.leader, acks, end_offset)

    def step(self, event: LeaderEvent) -> LeaderEffects:
        """Take in an event, and carry out all effects but the answer to a fetch."""
        effects = self.leader.step(event)
        if effects.high_watermark is not None:
            self._publish(effects.high_watermark)
        elif isinstance(event, PartitionChanged):
            self._ports.purgatory.happened(self, _MANY)
        if effects.propose is not None:
            self._ports.propose(self._partition.log.topic_partition, effects.propose)
        return effects

    def tick(self, limits: Limits) -> None:
        """Time went by, the properties are these, and records may have been deleted."""
        self.leader.limits = limits
        start = self._partition.log.start_offset
        if start > self.leader.log_start:
            self.step(LogStartMoved(start, self._now_ms()))
        self.step(Ticked(self._now_ms()))

    def change(self, isr: frozenset[NodeId], replicas: tuple[NodeId, ...], epoch: int) -> None:
        """Take the controller's state of this leader epoch; `epoch` is that of the partition."""
        self.step(PartitionChanged(isr, replicas, self.leader.leader_epoch, epoch, self._now_ms()))

    def begin_epoch(self, leadership: Leadership) -> None:
        """Continue as the leader in another leader epoch; all queued records have been written.

        Raises:
            StorageError: the new epoch cannot be written down.
        """
        partition, epoch = self._partition, leadership.leader_epoch
        partition.log.lead_replicas(epoch)
        partition.leader_epoch = epoch
        isr, replicas = leadership.isr, leadership.replicas
        self.step(EpochBegun(isr, replicas, epoch, leadership.partition_epoch, self._now_ms()))
        # Followers that wait for records do so in the epoch before.
        self._ports.purgatory.happened(partition, _MANY)

    def refuse_isr(self, partition_epoch: int, error: ErrorCode) -> None:
        """The ISR that was proposed at this partition epoch was refused, or nobody answered."""
        self.step(IsrRefused(partition_epoch, error, self._now_ms()))

    def know_brokers(self, epochs: Mapping[NodeId, int]) -> None:
        """These brokers are alive."""
        self.step(BrokersChanged(epochs, self._now_ms()))

    def end(self) -> None:
        """Stop leading; waiting requests get NOT_LEADER_OR_FOLLOWER."""
        self.is_over = True
        self._ports.purgatory.happened(self, -1)

    def _publish(self, watermark: int) -> None:
        """Let consumers read up to this offset, and complete the fetches that wait for it."""
        partition = self._partition
        partition.log.high_watermark = watermark
        if partition.uncommitted:
            partition.on_committed()
        self._ports.purgatory.happened(self, _MANY)

    def _on_counted(self, end_offset: int) -> None:
        leader = self.leader
        if end_offset <= leader.end_offset:
            return
        if leader.is_alone:  # Each write comes here, and there is nothing to decide.
            leader.append_alone(end_offset)
            self._publish(end_offset)
            return
        self.step(Appended(end_offset, self._now_ms()))
        if not self._partition.log.config.counts_when_written:
            # Followers get what is on stable storage (`flush.messages`): they have waited for that.
            self._ports.purgatory.happened(self._partition, _MANY)

    def _now_ms(self) -> int:
        return int(self._ports.clock.monotonic() * 1000)


def tick_leaders(
    partitions: Iterable[Partition], limits_of: Callable[[str], Limits]
) -> Iterator[None]:
    """Have leaders check which followers lag, some in each step; `limits_of` takes a topic's name."""
    for number, partition in enumerate([*partitions], 1):
        role = partition.role
        if isinstance(role, LeaderRole) and not role.is_over:
            role.tick(limits_of(partition.log.topic_partition.topic))
        if not number % _TICKED_AT_ONCE:
            yield
