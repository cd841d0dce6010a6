"""GroupShards: the groups of this broker, kept in the partitions of __consumer_offsets.

Joins the shards with their partitions: makes the topic, loads a shard when a group of it is first
asked for, appends what is decided and replays it once it is written.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from barnabas.broker.assignments import check_total, placed
from barnabas.broker.partition import Partition
from barnabas.broker.replicas import ReplicaManager
from barnabas.broker.topics import Topics
from barnabas.config.broker import BrokerConfig
from barnabas.coordinators.group.classic import GroupSettings
from barnabas.coordinators.group.partitioning import partition_for
from barnabas.coordinators.group.shard import GroupShard
from barnabas.coordinators.shard import CoordinatorRecord
from barnabas.errors import BrokerError, DecodeError, ErrorCode, StorageError
from barnabas.ports import Clock
from barnabas.records.builder import BatchBuilder
from barnabas.records.compression import Codec

log = logging.getLogger(__name__)

OFFSETS_TOPIC = "__consumer_offsets"

_BATCH_BYTES = (1 << 31) - 1
"""What is decided at once is one batch: it counts whole or not at all."""

_NOT_WRITTEN = ErrorCode.COORDINATOR_NOT_AVAILABLE
"""Source: Kafka's CoordinatorRuntime turns storage errors of an append into this."""


class Held(NamedTuple):
    """A shard and the partition that it is kept in."""

    partition: Partition
    shard: GroupShard


class GroupShards:
    """All shards of this broker. For one thread."""

    def __init__(
        self, topics: Topics, replicas: ReplicaManager, clock: Clock, config: BrokerConfig
    ) -> None:
        self._topics = topics
        self._replicas = replicas
        self._clock = clock
        self._config = config
        self._settings = GroupSettings(
            config.group_initial_rebalance_delay_ms, config.group_max_size
        )
        self._held: dict[Partition, Held] = {}
        self._began_ms = clock.time_ms() - int(clock.monotonic() * 1000)
        self.on_loaded: Callable[[Held], None] | None = None

    def now_ms(self) -> int:
        """Milliseconds since the epoch that never jump: what sessions and states are timed by."""
        return self._began_ms + int(self._clock.monotonic() * 1000)

    def prepare(self) -> None:
        """Make the topic if it is not there.

        Raises:
            BrokerError: COORDINATOR_NOT_AVAILABLE: it cannot be made.
        """
        if self._topics.get(OFFSETS_TOPIC) is not None:
            return
        config = self._config
        count = config.offsets_topic_num_partitions
        properties = {
            "cleanup.policy": "compact",
            "compression.type": "producer",
            "segment.bytes": str(config.offsets_topic_segment_bytes),
        }
        try:
            check_total(count)
            replicas = placed(range(count), 1, config.node_id)
            self._topics.create(OFFSETS_TOPIC, replicas, properties)
        except (BrokerError, StorageError) as error:
            raise BrokerError(ErrorCode.COORDINATOR_NOT_AVAILABLE, str(error)) from error

    def of(self, group_id: str) -> Held:
        """The shard of a group; the topic is made if need be.

        Raises:
            BrokerError: COORDINATOR_NOT_AVAILABLE.
        """
        self.prepare()
        found = self.find(group_id)
        assert found is not None, "the topic was prepared"
        return found

    def find(self, group_id: str) -> Held | None:
        """The shard of a group; None while there are no groups at all.

        Raises:
            BrokerError: COORDINATOR_NOT_AVAILABLE.
        """
        topic = self._topics.get(OFFSETS_TOPIC)
        if topic is None:
            return None
        return self.at(partition_for(group_id, len(topic.partitions)))

    def indexes(self) -> Iterator[int]:
        """The partitions of the topic: an argument of `at`."""
        topic = self._topics.get(OFFSETS_TOPIC)
        return iter(topic.partitions if topic else ())

    def all(self) -> list[Held]:
        """Every shard.

        Raises:
            BrokerError: COORDINATOR_NOT_AVAILABLE: one of them cannot be loaded.
        """
        return [self.at(index) for index in self.indexes()]

    def loaded(self) -> list[Held]:
        """The shards that somebody asked for."""
        return list(self._held.values())

    def at(self, index: int) -> Held:
        """A shard by its partition, loaded.

        Raises:
            BrokerError: COORDINATOR_NOT_AVAILABLE: it cannot be loaded.
        """
        partition = self._replicas.find(OFFSETS_TOPIC, index)
        if partition is None:
            raise BrokerError(ErrorCode.COORDINATOR_NOT_AVAILABLE, f"{OFFSETS_TOPIC}-{index}")
        held = self._held.get(partition)
        if held is None:
            held = self._held[partition] = Held(partition, self._load(partition, index))
            if self.on_loaded is not None:
                self.on_loaded(held)
        return held

    def _load(self, partition: Partition, index: int) -> GroupShard:
        # Imported late: a broker starts faster without it.
        from barnabas.broker.shard_loading import load_shard

        shard = GroupShard(self._settings, self._config.offset_metadata_max_bytes)
        try:
            load_shard(partition.log, shard)
        except (StorageError, DecodeError) as error:
            log.error(  # noqa: TRY400 - a trace says nothing about a disk
                "groups not loaded", extra={"partition": index, "error": error}
            )
            raise BrokerError(ErrorCode.COORDINATOR_NOT_AVAILABLE, str(error)) from error
        return shard

    def append(
        self,
        held: Held,
        records: Sequence[CoordinatorRecord],
        on_written: Callable[[ErrorCode], None],
    ) -> None:
        """Queue records; when they are written, offsets are replayed and `on_written` is called.

        Groups know already what their records say.
        """

        def written(code: ErrorCode) -> None:
            if not code:
                for record in records:
                    held.shard.offsets.replay(*record)
            on_written(_NOT_WRITTEN if code else ErrorCode.NONE)

        now_ms = self._clock.time_ms()
        builder = BatchBuilder(Codec.NONE, _BATCH_BYTES)
        for key, value in records:
            builder.append(now_ms, key, value)
        self._replicas.append_own(held.partition, builder.build(), written)

    def write(self) -> None:
        """Write what was queued outside of a request."""
        self._replicas.write()
