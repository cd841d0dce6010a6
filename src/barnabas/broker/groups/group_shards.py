"""GroupShards: this broker's groups, stored in the partitions of __consumer_offsets."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import floor
from typing import TYPE_CHECKING, TypeVar

from barnabas.broker.groups.memory import GroupMemory
from barnabas.broker.purgatory.client_memory import ClientMemory
from barnabas.broker.purgatory.pending import Pending
from barnabas.broker.replicas.partition import Partition
from barnabas.broker.replicas.replica_manager import ReplicaManager
from barnabas.broker.shards.shard_loader import LoadedShard
from barnabas.broker.shards.shards import TOO_LARGE, Shards
from barnabas.broker.topics.internal_topic import InternalTopic
from barnabas.broker.topics.topics import Topics
from barnabas.config.broker import BrokerConfig
from barnabas.coordinators.classic_group.settings import GroupSettings
from barnabas.coordinators.common.shard import CoordinatorRecord, Replayed
from barnabas.coordinators.consumer_group.environment import GroupEnvironment
from barnabas.coordinators.internal_topics import OFFSETS_TOPIC
from barnabas.errors import BrokerError, ErrorCode
from barnabas.ports import Clock, Timers
from barnabas.records.codecs.compression import Codec

if TYPE_CHECKING:
    from barnabas.coordinators.groups_shard import GroupShard

_Reply = TypeVar("_Reply")

Held = LoadedShard["GroupShard"]


class GroupShards(Shards["GroupShard"]):
    """All shards of this broker. For one thread."""

    def __init__(
        self,
        topics: Topics,
        replicas: ReplicaManager,
        clock: Clock,
        config: BrokerConfig,
        memory: ClientMemory,
        timers: Timers,
    ) -> None:
        count, segment_bytes = (
            config.offsets_topic_num_partitions,
            config.offsets_topic_segment_bytes,
        )
        topic = InternalTopic.compacted(OFFSETS_TOPIC, count, segment_bytes, config.node_id)
        codec = Codec(config.offsets_topic_compression_codec)
        super().__init__(topics, replicas, clock, timers, topic, codec)
        self._config = config
        self._settings = GroupSettings(
            config.group_initial_rebalance_delay_ms, config.group_max_size
        )
        self.memory = GroupMemory(memory, timers, self._weight_of)
        """The memory of groups; each change of a group must be reported to it."""
        self.environment: GroupEnvironment | None = None
        self._began_ms = clock.time_ms() - int(clock.monotonic() * 1000)

    def now_ms(self) -> int:
        """Milliseconds since the epoch that never jump: what sessions and states are timed by."""
        # With each request of a member; `int` would take half as long again.
        return self._began_ms + floor(self._clock.monotonic() * 1000)

    def _new_shard(self) -> "GroupShard":
        # Imported late: a broker starts faster without it.
        from barnabas.coordinators.groups_shard import GroupShard

        assert self.environment is not None, "groups are surrounded before one is asked for"
        metadata_bytes = self._config.offset_metadata_max_bytes
        return GroupShard(self._settings, metadata_bytes, self.environment)

    def _replay(self, partition: Partition, shard: "GroupShard") -> Iterator[None]:
        # Imported late: a broker starts faster without it.
        from barnabas.broker.shards.shard_replay import load_shard

        return load_shard(partition.log, shard, shard, partial(shard.offsets.replay_rows, {}))

    def _weight_of(self, group_id: str) -> int:
        # Imported late: a broker starts faster without it.
        from barnabas.coordinators.group_weights import weight_of

        try:
            held = self.find(group_id)
        except BrokerError:
            return 0  # It was logged, and none of it is loaded.
        return 0 if held is None else weight_of(held.shard, group_id)

    def restore(self, held: Held) -> None:
        """Read the groups of a shard again, because records that changed them could not be written.

        Existing classic groups keep their state: the log does not have what they do between two
        generations.
        """
        again = self._new_shard()
        try:
            self._loader.replay_all(held.partition, again)
        except BrokerError:
            held.shard.consumer.become({})
            held.shard.share.become({})
            held.shard.streams.become({})
        else:
            held.shard.consumer.become(again.consumer.by_id())
            held.shard.share.become(again.share.by_id())
            held.shard.streams.become(again.streams.by_id())
            held.shard.take_back(again.groups())
        self.memory.all_changed()
        for begin in self.on_loaded:
            begin(held)

    def append(
        self,
        held: Held,
        records: Sequence[CoordinatorRecord],
        on_written: Callable[[ErrorCode], None],
    ) -> None:
        """Queue records; when they are written, offsets are replayed and `on_written` is called.

        Groups know already what their records say.
        """
        self._append(held, records, held.shard.offsets.replay, on_written)

    def append_or_restore(
        self,
        held: Held,
        result: Replayed[_Reply],
        on_written: Callable[[ErrorCode], None] = lambda _code: None,
    ) -> None:
        """As `append`, for records already applied: if they are not written, they are undone.

        Records that are too large undo only their own group; `on_written` is called before the return.
        """

        def written(code: ErrorCode) -> None:
            if code is TOO_LARGE and result.undo is not None:
                result.undo()
            elif code:
                self.restore(held)
            on_written(code)

        self.append(held, result.records, written)

    def keep_if_it_fits(self, held: Held, result: Replayed[None]) -> bool:
        """Write records that no request waits for; False: they are too large, and undone."""
        codes: list[ErrorCode] = []
        if result.records:
            self.append_or_restore(held, result, codes.append)
        return TOO_LARGE not in codes

    def keep(
        self,
        held: Held,
        result: Replayed[_Reply],
        respond: Callable[[_Reply | BrokerError], object],
    ) -> object:
        """Write the records of a request; the response is sent when they are written.

        A request that changes nothing waits for the records queued before it, as in Kafka: its response may
        depend on them.
        """
        pending = Pending()

        def written(code: ErrorCode) -> None:
            pending.complete(respond(BrokerError(code) if code else result.reply))

        if result.records:
            self.append_or_restore(held, result, written)
        elif not self._join(held, written):
            return respond(result.reply)
        return pending

    def append_in_transaction(
        self,
        held: Held,
        records: Sequence[CoordinatorRecord],
        producer: tuple[int, int],
        on_written: Callable[[ErrorCode], None],
    ) -> None:
        """As `append`, for offsets that count when the producer (id, epoch) commits."""
        replay = partial(held.shard.replay_in_transaction, producer[0])
        self._append(held, records, replay, on_written, producer)

    def end_transaction(self, partition: Partition, producer_id: int, *, committed: bool) -> None:
        """Apply or drop a producer's offsets after its marker is written."""
        held = self._loader.find(partition)
        if held is not None:
            held.shard.end_transaction(producer_id, committed=committed)
