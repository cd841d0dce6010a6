"""ShareStateShards: what share groups have read, stored in the partitions of __share_group_state."""

from collections.abc import Callable
from contextlib import suppress

from barnabas.broker.purgatory.stepping import Steps
from barnabas.broker.replicas.replica_manager import ReplicaManager
from barnabas.broker.shards.shard_loader import LoadedShard
from barnabas.broker.shards.shards import Shards
from barnabas.broker.topics.internal_topic import InternalTopic
from barnabas.broker.topics.topics import Topics
from barnabas.config.broker import BrokerConfig
from barnabas.coordinators.common.shard import CoordinatorRecord
from barnabas.coordinators.internal_topics import SHARES_TOPIC
from barnabas.coordinators.share_state.states import ShareStates, StateKey
from barnabas.errors import BrokerError, ErrorCode
from barnabas.log.file_names import uuid_text
from barnabas.ports import Clock, Timers


class ShareStateShards(Shards[ShareStates]):
    """All states of this broker. For one thread."""

    def __init__(
        self,
        topics: Topics,
        replicas: ReplicaManager,
        clock: Clock,
        timers: Timers,
        config: BrokerConfig,
        *,
        one_by_one: bool,
    ) -> None:
        """`one_by_one`: other brokers write states, and each rests on the one that is kept before it."""
        count, segment_bytes = (
            config.share_coordinator_state_topic_num_partitions,
            config.offsets_topic_segment_bytes,
        )
        topic = InternalTopic.compacted(SHARES_TOPIC, count, segment_bytes, config.node_id)
        super().__init__(topics, replicas, clock, timers, topic)
        self._one_by_one = one_by_one
        self._under_way: set[StateKey] = set()

    def _new_shard(self) -> ShareStates:
        return ShareStates()

    def states(self, key: StateKey) -> ShareStates:
        """The states that one of a partition is among.

        Raises:
            BrokerError: COORDINATOR_NOT_AVAILABLE, also where it is being written; NOT_COORDINATOR.
        """
        if key in self._under_way:
            raise BrokerError(ErrorCode.COORDINATOR_NOT_AVAILABLE, "the state is being written")
        return self._held_for(key).shard

    def of_topic(self, topic_id: bytes) -> Steps[list[StateKey]]:
        """Of which partitions of a topic something is kept, as far as that can be read."""
        found: list[StateKey] = []
        for index in self.indexes():
            with suppress(BrokerError):  # it was logged
                held = yield from self.at_in_steps(index)
                keys = held.shard.keys()
                found += [key for key in keys if key.topic_partition.topic_id == topic_id]
        return found

    def keep(
        self, key: StateKey, record: CoordinatorRecord, on_written: Callable[[ErrorCode], None]
    ) -> None:
        """Write a record of a state, replay it, and tell that it is written.

        Raises:
            BrokerError: COORDINATOR_NOT_AVAILABLE.
        """
        held = self._held_for(key)
        if self._one_by_one:
            self._under_way.add(key)

        def written(code: ErrorCode) -> None:
            self._under_way.discard(key)
            on_written(code)

        self._append(held, [record], held.shard.replay, written)

    def _held_for(self, key: StateKey) -> LoadedShard[ShareStates]:
        return self.of(self.name_of(key))

    @staticmethod
    def name_of(key: StateKey) -> str:
        """The key by which the state's partition and coordinator are found."""
        group_id, place = key
        return f"{group_id}:{uuid_text(place.topic_id)}:{place.partition}"
