"""SharePartitions: the partitions that share groups read; reads the stored state of each when needed."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from barnabas.broker.groups.policies import Policies
from barnabas.broker.replicas.partition import Partition
from barnabas.broker.shares.active_partitions import (
    ActivePartitions,
    ActiveSharePartition,
)
from barnabas.broker.shares.partition_time import SharePartitionTime
from barnabas.broker.shares.policies import SharePolicy
from barnabas.broker.shares.record_locks import RecordLocks
from barnabas.broker.shares.states import ShareStateShards
from barnabas.broker.shares.stored_states import StoredStates
from barnabas.coordinators.share_partition.partition import SharePartition
from barnabas.coordinators.share_partition.restoring import restored
from barnabas.coordinators.share_state.states import UNKNOWN, StateKey
from barnabas.errors import BrokerError, ErrorCode, StorageError

if TYPE_CHECKING:
    from barnabas.broker.shares.partition_ends import PartitionEnds
    from barnabas.broker.shares.routed_states import RoutedStates
    from barnabas.broker.shares.state_reads import StateReads


IsRead = Callable[[StateKey], bool]
"""Whether a partition was assigned to members of its group."""


class ClusterStates(NamedTuple):
    """In a cluster: states wherever they are kept, those that are being read, and ends of partitions."""

    states: "RoutedStates"
    reads: "StateReads"
    ends: "PartitionEnds"


class SharePartitions:
    """All of them of this broker. For one thread."""

    def __init__(
        self,
        kept: ShareStateShards,
        policies: Policies[SharePolicy],
        around: SharePartitionTime,
        is_read: IsRead,
        routed: "ClusterStates | None" = None,
    ) -> None:
        """`routed`: where states are kept in a cluster; a broker that is alone has all itself."""
        self._kept, self._topics, self._replicas = kept, kept.topics, kept.replicas
        self._policies, self._clock, self._is_read = policies, around.clock, is_read
        self._routed = routed
        self._active = ActivePartitions(around.memory)
        states = None if routed is None else routed.states
        self.stored = StoredStates(kept, self._active, around.clock, states)
        self.locks = RecordLocks(kept.replicas, policies, around, self._active, self.stored)

    def prepare(self) -> None:
        """Create the internal topic if it does not exist."""
        self._kept.prepare()

    def find(self, key: StateKey) -> ActiveSharePartition:
        """A partition with its state, which is read if it is not in memory.

        Raises:
            BrokerError: the partition does not exist, the group may not read it, its offsets are byte
                positions, or its state cannot be read. COMING: another broker was asked for the state; its
                answer completes the key in the purgatory.
        """
        partition = self._partition(key)
        live = self._active.get(key)
        if live is not None and live.partition is partition:
            return live
        self._active.drop(key)
        if self._routed is not None:
            return self._ask_for(self._routed.reads, key, partition)
        live = self._begin(key, partition)
        self._active.add(live)
        return live

    def in_hand(self, key: StateKey) -> ActiveSharePartition:
        """A partition of which members may have acquired something.

        Raises:
            BrokerError: it is not there, or nobody has read it since this broker leads it.
        """
        partition = self._partition(key)
        live = self._active.get(key)
        if live is None or live.partition is not partition:
            raise BrokerError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
        return live

    def _partition(self, key: StateKey) -> Partition:
        topic = self._topics.by_id(key.topic_partition.topic_id)
        if topic is None:
            raise BrokerError(ErrorCode.UNKNOWN_TOPIC_ID)
        partition = self._replicas.find(topic.name, key.topic_partition.partition)
        is_there = key.topic_partition.partition in topic.partitions
        if partition is None and (self._routed is None or not is_there):
            raise BrokerError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
        if partition is None or (partition.role is not None and not partition.role.leads):
            raise BrokerError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        if partition.log.config.byte_positions:
            raise BrokerError(
                ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT, "the topic's offsets are byte positions"
            )
        return partition

    def _begin(self, key: StateKey, partition: Partition) -> ActiveSharePartition:
        kept = self._kept.states(key).get(key)
        if kept is not None and kept.start != UNKNOWN:
            return ActiveSharePartition(key, partition, restored(kept.start, kept.spans))
        if kept is None and not self._is_read(key):
            # Kafka 4.3 refuses it likewise, and has no better word for that.
            raise BrokerError(
                ErrorCode.UNKNOWN_SERVER_ERROR,
                "the partition was never assigned to a member of the group",
            )
        start = self._first_offset(key, partition)
        live = ActiveSharePartition(key, partition, SharePartition(start, start))
        self.stored.keep(live, lambda _code: None)
        return live

    def _ask_for(
        self, reads: "StateReads", key: StateKey, partition: Partition
    ) -> ActiveSharePartition:
        """As `_begin`, of a state that another broker may store."""
        found = reads.take(key, partition)
        is_new = found.start == UNKNOWN
        start = self._first_offset(key, partition) if is_new else found.start
        state = SharePartition(start, start) if is_new else restored(start, found.spans)
        epochs = found.state_epoch, partition.leader_epoch
        live = ActiveSharePartition(key, partition, state, None, 0, *epochs)
        self._active.add(live)
        if is_new:
            self.stored.keep(live, lambda _code: None)
        return live

    def leave(self, partition: Partition) -> None:
        """Drop a partition that another broker may lead now, with all its locks."""
        self._active.drop_all(lambda live: live.partition is partition)
        if self._routed is not None:
            self._routed.reads.leave(partition)

    def leave_group(self, group_id: str) -> None:
        """Drop a group's partitions: no member reads here, and other brokers may move the group."""
        if self._routed is not None:
            self._active.drop_all(lambda live: live.key.group_id == group_id)

    def _first_offset(self, key: StateKey, partition: Partition) -> int:
        """The first offset of a group that never read the partition."""
        log = partition.log
        reset = self._policies.of(key.group_id).offset_reset
        if reset.back_ms is None:
            return log.start_offset if reset.earliest else log.high_watermark
        try:
            found = log.offset_for_timestamp(self._clock.time_ms() - reset.back_ms)
        except StorageError as error:
            raise BrokerError(ErrorCode.KAFKA_STORAGE_ERROR, str(error)) from error
        return log.high_watermark if found is None else found[1]

    def lag_of(self, key: StateKey) -> int:
        """How many records of the partition a group has not completed.

        Raises:
            BrokerError: there is no such partition.
        """
        live = self.find(key)
        return max(live.partition.log.high_watermark - live.state.start - live.state.done(), 0)

    def read_anew(self, key: StateKey) -> None:
        """Forget the state in memory: another broker has stored another one."""
        self._active.drop(key)
