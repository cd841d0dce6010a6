"""TransactionShards: this broker's transactional ids, stored in __transaction_state."""

from collections.abc import Callable, Sequence

from barnabas.broker.replicas.replica_manager import ReplicaManager
from barnabas.broker.shards.shard_loader import LoadedShard
from barnabas.broker.shards.shards import Shards
from barnabas.broker.topics.internal_topic import InternalTopic
from barnabas.broker.topics.topics import Topics
from barnabas.config.broker import BrokerConfig
from barnabas.coordinators.common.shard import CoordinatorRecord
from barnabas.coordinators.internal_topics import TRANSACTIONS_TOPIC
from barnabas.coordinators.transaction.shard import TransactionShard
from barnabas.errors import ErrorCode
from barnabas.ports import Clock, Timers

HeldTransactions = LoadedShard[TransactionShard]


class TransactionShards(Shards[TransactionShard]):
    """All shards of transactions. For one thread."""

    def __init__(
        self,
        topics: Topics,
        replicas: ReplicaManager,
        clock: Clock,
        timers: Timers,
        config: BrokerConfig,
        make: Callable[[], TransactionShard],
    ) -> None:
        count, segment_bytes = (
            config.transaction_state_log_num_partitions,
            config.transaction_state_log_segment_bytes,
        )
        topic = InternalTopic.compacted(
            TRANSACTIONS_TOPIC, count, segment_bytes, config.node_id, "uncompressed"
        )
        super().__init__(topics, replicas, clock, timers, topic)
        self._make = make

    def now_ms(self) -> int:
        """Milliseconds since the epoch: what is written down with transactions."""
        return self._clock.time_ms()

    def _new_shard(self) -> TransactionShard:
        return self._make()

    def append(
        self,
        held: HeldTransactions,
        records: Sequence[CoordinatorRecord],
        on_written: Callable[[ErrorCode], None],
    ) -> None:
        """Queue records; when they are written they are replayed, and `on_written` is called."""
        self._append(held, records, held.shard.replay, on_written)
