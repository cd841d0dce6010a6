"""GroupOffsets: the offsets that groups committed, kept in the topic __consumer_offsets.

Joins the shards with their partitions: appends what they decide, replays it once it is written,
loads a shard when a group of it is first asked for.
"""

import logging
from collections.abc import Callable, Mapping, Sequence

from barnabas.broker.assignments import check_total, placed
from barnabas.broker.partition import Partition
from barnabas.broker.purgatory import Pending
from barnabas.broker.replicas import ReplicaManager
from barnabas.broker.topics import Topics
from barnabas.config.broker import BrokerConfig
from barnabas.coordinators.group.offset_records import CommittedOffset, Position
from barnabas.coordinators.group.offsets import Commit, OffsetsShard
from barnabas.coordinators.group.partitioning import partition_for
from barnabas.coordinators.shard import CoordinatorRecord
from barnabas.errors import BrokerError, DecodeError, ErrorCode, StorageError
from barnabas.ports import Clock
from barnabas.records.builder import BatchBuilder
from barnabas.records.compression import Codec

log = logging.getLogger(__name__)

OFFSETS_TOPIC = "__consumer_offsets"

_BATCH_BYTES = (1 << 31) - 1
"""A commit is one batch, however many partitions it names: it counts whole or not at all."""

Codes = Mapping[Position, ErrorCode]


class GroupOffsets:
    """All groups of this broker. For one thread."""

    def __init__(
        self, topics: Topics, replicas: ReplicaManager, clock: Clock, config: BrokerConfig
    ) -> None:
        self._topics = topics
        self._replicas = replicas
        self._clock = clock
        self._config = config
        self._shards: dict[Partition, OffsetsShard] = {}

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

    def commit(self, request: Commit, respond: Callable[[Codes], object]) -> object:
        """Keep positions of a group; gives `respond`'s answer, when they are written.

        Raises:
            BrokerError: COORDINATOR_NOT_AVAILABLE.
        """
        self.prepare()
        partition, shard = self._of(request.group_id)
        result = shard.commit(request)
        if not result.records:
            return respond(result.reply)
        pending = Pending()

        def written(code: ErrorCode) -> None:
            reply = result.reply
            if code:
                reply = {position: own or _NOT_WRITTEN for position, own in reply.items()}
            pending.complete(respond(reply))

        self._append(partition, shard, result.records, written)
        return pending

    def positions(self, group_id: str) -> Sequence[Position]:
        """All partitions that a group has an offset for.

        Raises:
            BrokerError: COORDINATOR_NOT_AVAILABLE.
        """
        if self._topics.get(OFFSETS_TOPIC) is None:
            return []
        return self._of(group_id)[1].positions(group_id)

    def groups(self) -> list[str]:
        """All groups that have an offset, by name.

        Raises:
            BrokerError: COORDINATOR_NOT_AVAILABLE.
        """
        topic = self._topics.get(OFFSETS_TOPIC)
        shards = [self._at(index)[1] for index in topic.partitions] if topic else []
        return sorted(name for shard in shards for name in shard.groups())

    def fetch(
        self, group_id: str, positions: Sequence[Position]
    ) -> Sequence[CommittedOffset | None]:
        """What a group committed for these partitions.

        Raises:
            BrokerError: COORDINATOR_NOT_AVAILABLE.
        """
        if self._topics.get(OFFSETS_TOPIC) is None:
            return [None] * len(positions)
        return self._of(group_id)[1].fetch(group_id, positions)

    def expire(self) -> None:
        """Remove offsets that were not renewed for `offsets.retention.minutes`; from time to time."""
        retention_ms = self._config.offsets_retention_minutes * 60_000
        for partition, shard in self._shards.items():
            records = shard.expire(self._clock.time_ms(), retention_ms).records
            if records:
                self._append(partition, shard, records, lambda _code: None)
        self._replicas.write()

    def forget_topic(self, topic: str) -> None:
        """Remove all offsets of a topic that is deleted."""
        offsets = self._topics.get(OFFSETS_TOPIC)
        for index in offsets.partitions if offsets else ():
            try:
                partition, shard = self._at(index)
            except BrokerError:
                continue
            records = shard.forget_topic(topic).records
            if records:
                self._append(partition, shard, records, lambda _code: None)

    def _append(
        self,
        partition: Partition,
        shard: OffsetsShard,
        records: Sequence[CoordinatorRecord],
        on_written: Callable[[ErrorCode], None],
    ) -> None:
        def written(code: ErrorCode) -> None:
            if not code:
                for record in records:
                    shard.replay(*record)
            on_written(code)

        now_ms = self._clock.time_ms()
        builder = BatchBuilder(Codec.NONE, _BATCH_BYTES)
        for key, value in records:
            builder.append(now_ms, key, value)
        self._replicas.append_own(partition, builder.build(), written)

    def _of(self, group_id: str) -> tuple[Partition, OffsetsShard]:
        topic = self._topics.get(OFFSETS_TOPIC)
        assert topic is not None, "the topic was prepared"
        return self._at(partition_for(group_id, len(topic.partitions)))

    def _at(self, index: int) -> tuple[Partition, OffsetsShard]:
        """A partition and its shard, loaded.

        Raises:
            BrokerError: COORDINATOR_NOT_AVAILABLE: it cannot be loaded.
        """
        partition = self._replicas.find(OFFSETS_TOPIC, index)
        if partition is None:
            raise BrokerError(ErrorCode.COORDINATOR_NOT_AVAILABLE, f"{OFFSETS_TOPIC}-{index}")
        shard = self._shards.get(partition)
        if shard is None:
            # Imported late: a broker starts faster without it.
            from barnabas.broker.shard_loading import load_shard

            shard = OffsetsShard(self._config.offset_metadata_max_bytes)
            try:
                load_shard(partition.log, shard)
            except (StorageError, DecodeError) as error:
                log.error(  # noqa: TRY400 - a trace says nothing about a disk
                    "group offsets not loaded", extra={"partition": index, "error": error}
                )
                raise BrokerError(ErrorCode.COORDINATOR_NOT_AVAILABLE, str(error)) from error
            self._shards[partition] = shard
        return partition, shard


_NOT_WRITTEN = ErrorCode.COORDINATOR_NOT_AVAILABLE
"""Source: Kafka's CoordinatorRuntime turns storage errors of an append into this."""
