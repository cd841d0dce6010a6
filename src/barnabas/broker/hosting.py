"""Hosting: logs and replicas kept in step with the topics: makes, opens, configures and deletes them."""

import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from barnabas.broker.replicas import ReplicaManager
from barnabas.config.broker import BrokerConfig
from barnabas.config.releases import RELEASE_07, is_before, magic_of
from barnabas.config.topic import TopicConfig
from barnabas.errors import BrokerError, ConfigError, ErrorCode, KafkaError, StorageError
from barnabas.log.config import MAGIC_07, TODAYS_MAGIC, LogConfig
from barnabas.log.manager import LogManager
from barnabas.log.partition_log import PartitionLog
from barnabas.records.compression import Codec
from barnabas.records.recompression import Stored
from barnabas.types import TopicPartition

log = logging.getLogger(__name__)

DROPPED_A_STEP = 50
"""Partitions: about 10 ms of work."""

NO_TOPIC_ID = bytes(16)
"""What a log has that was made before topics had ids (Kafka 2.8)."""


class Hosting:
    """What a topic means to this broker's disks. Knows nothing of where topics are written down."""

    __slots__ = ("_broker_config", "_logs", "_replicas")

    def __init__(
        self, logs: LogManager, replicas: ReplicaManager, broker_config: BrokerConfig
    ) -> None:
        self._logs = logs
        self._replicas = replicas
        self._broker_config = broker_config

    def host(
        self,
        topic: str,
        topic_id: bytes,
        partitions: Iterable[int],
        own: Mapping[str, object],
        *,
        is_new: bool = True,
    ) -> None:
        """Lead these partitions with the logs that are there, or new ones; those led stay so.

        `own` are the properties of the topic itself, by Kafka's names. Those of a topic that is not new
        may be lost: they are offline then, and get no new log.

        Raises:
            StorageError: a log cannot be made; all others are led.
        """
        config: LogConfig | None = None
        failure: StorageError | None = None
        for index in partitions:
            if self._replicas.find(topic, index) is not None:
                continue
            place = TopicPartition(topic, index)
            try:
                found = self._found(place, topic_id)
                if found is None:
                    config = config or config_of_kept(own, self._broker_config)
                    found = self._lost(place, topic_id, config, is_new=is_new)
                    found = found or self._logs.create(place, topic_id, config)
            except StorageError as error:
                failure = failure or error
                log.error("partition has no log: %s", error, extra=place._asdict())  # noqa: TRY400 - it says why
            else:
                self._replicas.lead(found, max(found.leader_epoch, 0))
        if failure is not None:
            raise failure

    def _found(self, place: TopicPartition, topic_id: bytes) -> PartitionLog | None:
        """The log of a partition, if there is one and it is of this topic.

        Raises:
            StorageError: one of another topic cannot be moved out of its way.
        """
        found = self._logs.get(place)
        if found is None or found.topic_id == topic_id:
            return found
        if found.topic_id == NO_TOPIC_ID:
            try:
                self._logs.identify(place, topic_id)
            except StorageError as error:
                # The next start tries again.
                told = {"topic": place.topic, "partition": place.partition, "error": error}
                log.warning("topic id of a log not written", extra=told)
            return found
        # A topic of that name was deleted while its files could not be, or the registry is an older
        # copy: nobody knows here which of the two.
        moved = self._logs.set_aside(place)
        log.error(
            "log of another topic of that name was moved: remove it if nobody misses its records",
            extra={"topic": place.topic, "partition": place.partition, "moved_to": moved},
        )
        return None

    def _lost(
        self, place: TopicPartition, topic_id: bytes, config: LogConfig, *, is_new: bool
    ) -> PartitionLog | None:
        """What stands for a log that the broker had; the log says what to do, where nothing else did."""
        found = self._logs.find_lost(place, topic_id, config, is_new=is_new)
        for note in found.losses.notes if found is not None else ():
            log.error("log %s", note, extra=place._asdict())
        return found

    def lost_indexes(self, topic: str, topic_id: bytes) -> set[int]:
        """The partitions of a topic that the broker had, and did not find when it started."""
        return self._logs.lost_indexes(topic, topic_id)

    def give_up(self, topic: str, topic_id: bytes, index: int, own: Mapping[str, object]) -> None:
        """Serve a partition that is offline without the records that are lost.

        Raises:
            StorageError: nothing is lost, so that a restart brings it back; or it cannot be written.
        """
        place = TopicPartition(topic, index)
        if self._logs.get(place) is None:
            self.host(topic, topic_id, [index], own)
            return
        config = config_of_kept(own, self._broker_config)
        found = self._logs.give_up(place, topic_id, config)
        log.warning(
            "records of a partition were given up: it has those from offset %d to %d",
            found.start_offset,
            found.end_offset,
            extra=place._asdict(),
        )
        self._replicas.lead(found, max(found.leader_epoch, 0))

    def check_room(self) -> None:
        """Whether new logs can be made; raises DiskFull where no directory has room."""
        self._logs.check_room()

    def check_kept(self, topic: str, own: Mapping[str, object]) -> None:
        """Whether these properties leave a topic what its offsets mean.

        Raises:
            BrokerError: INVALID_CONFIG: they would be byte positions from now on, or no longer.
        """
        if _FORMAT not in own:
            return
        wanted = log_config(own, self._broker_config, own).byte_positions
        for partition in self._replicas.partitions():
            log = partition.log
            if log.topic_partition.topic == topic and log.config.byte_positions != wanted:
                what = (
                    f"{_FORMAT}={own[_FORMAT]}: offsets of {topic} would no longer be what they are"
                )
                raise BrokerError(ErrorCode.INVALID_CONFIG, what)

    def drop_in_steps(self, topics: Sequence[str], failed: dict[str, KafkaError]) -> Iterator[None]:
        """Delete the logs of topics, a few a step; `failed` is told which cannot be renamed."""
        number = 0
        for topic in topics:
            try:
                for left in self._replicas.leave(topic):
                    self._logs.delete(left.topic_partition, durable=False)
                    number += 1
                    if number % DROPPED_A_STEP == 0:
                        yield
            except StorageError as error:
                failed[topic] = error
        try:
            self._logs.sync_directories()
        except StorageError as error:
            for topic in topics:
                failed.setdefault(topic, error)

    def adopt(self, broker_config: BrokerConfig) -> None:
        """Take the broker's properties from these, also for the logs that are configured next."""
        self._broker_config = broker_config

    def configure(self, owns: Mapping[str, Mapping[str, object]]) -> None:
        """Give the logs of topics these properties from now on."""
        configs = {topic: config_of_kept(own, self._broker_config) for topic, own in owns.items()}
        for partition in self._replicas.partitions():
            config = configs.get(partition.log.topic_partition.topic)
            if config is not None:
                partition.log.configure(config)


_INSTEAD: Sequence[Mapping[str, str]] = (
    {"compression.type": "producer"},
    {
        "compression.type": "producer",
        "cleanup.policy": "delete",
        "retention.bytes": "-1",
        "retention.ms": "-1",
    },
)
"""What harms no records, where the properties of a topic and of its broker exclude each other."""


def config_of_kept(
    own: Mapping[str, object],
    broker: BrokerConfig,
    tell: Callable[[ConfigError], None] = lambda _why: None,
) -> LogConfig:
    """As `log_config`, for a topic that is there: what it cannot obey is told, and not obeyed.

    Nobody is let in with such properties, but a broker may be started with others than before.

    Raises:
        ConfigError: one of its own cannot be on any broker.
    """
    try:
        return log_config(own, broker, own)
    except ConfigError as error:
        why = error
    tell(why)
    for instead in _INSTEAD:
        with suppress(ConfigError):
            return log_config({**own, **instead}, broker, own)
    raise why


def log_config(
    own: Mapping[str, object], broker: BrokerConfig, kept: Collection[str] = ()
) -> LogConfig:
    """What the logs of a topic obey: its own properties over the broker's.

    The values of those `kept` it has already, from a broker of any release.

    Raises:
        ConfigError: a value is out of range, or asks for what no log here does.
    """
    topic = TopicConfig.for_topic(own, broker, kept)
    stored, magic = _stored(topic), _magic(topic, broker)
    if magic == MAGIC_07 and "compact" in topic.cleanup_policy:
        if _FORMAT in own:
            raise ConfigError("cleanup.policy=compact: messages of Kafka 0.7 have no keys")
        magic = TODAYS_MAGIC
    highest = _HIGHEST_CODECS.get(magic, Codec.LZ4)
    if stored is not None and magic < TODAYS_MAGIC and stored.codec > highest:
        version = topic.message_format_version
        raise ConfigError(
            f"compression.type={topic.compression_type}: message.format.version {version} has no "
            "place for it"
        )
    before_ms, after_ms = _timestamp_limits(topic)
    return LogConfig(
        segment_bytes=topic.internal_segment_bytes or topic.segment_bytes,
        segment_ms=topic.segment_ms,
        segment_jitter_ms=topic.segment_jitter_ms,
        segment_index_bytes=topic.segment_index_bytes,
        index_interval_bytes=topic.index_interval_bytes,
        retention_ms=topic.retention_ms,
        retention_bytes=topic.retention_bytes,
        cleanup_policy=frozenset(topic.cleanup_policy),
        delete_retention_ms=topic.delete_retention_ms,
        min_compaction_lag_ms=topic.min_compaction_lag_ms,
        max_compaction_lag_ms=topic.max_compaction_lag_ms,
        min_cleanable_dirty_ratio=topic.min_cleanable_dirty_ratio,
        file_delete_delay_ms=topic.file_delete_delay_ms,
        flush_messages=topic.flush_messages,
        flush_ms=topic.flush_ms,
        max_message_bytes=topic.max_message_bytes,
        message_timestamp_type=topic.message_timestamp_type,
        message_timestamp_before_max_ms=before_ms,
        message_timestamp_after_max_ms=after_ms,
        producer_id_expiration_ms=broker.producer_id_expiration_ms,
        stored=stored,
        magic=magic,
        known_magic=_known_magic(broker),
        lone_wrappers=bool(broker.release) and not is_before(broker.release, "2.4"),
        nested_wrappers=not broker.release or is_before(broker.release, "0.10.0"),
        downconverts=topic.message_downconversion_enable,
    )


def _timestamp_limits(topic: TopicConfig) -> tuple[int, int]:
    """How far before and after the broker's clock a record's timestamp may be, in milliseconds.

    Where one was not told, but how far on either side, that counts (KIP-937).
    """
    limits = {
        "message.timestamp.before.max.ms": topic.message_timestamp_before_max_ms,
        "message.timestamp.after.max.ms": topic.message_timestamp_after_max_ms,
    }
    if "message.timestamp.difference.max.ms" in topic.given:
        for name in limits.keys() - topic.given:
            limits[name] = topic.message_timestamp_difference_max_ms
    before_ms, after_ms = limits.values()
    return before_ms, after_ms


_FORMAT = "message.format.version"
_HIGHEST_CODECS = {MAGIC_07: Codec.SNAPPY}
"""What messages before magic 2 can be compressed with, where that is not lz4."""


def _known_magic(broker: BrokerConfig) -> int:
    """The highest that clients of its own release may send."""
    return TODAYS_MAGIC if broker.release in ("", RELEASE_07) else magic_of(broker.release)


def _magic(topic: TopicConfig, broker: BrokerConfig) -> int:
    """Of the record format to store; Kafka 3 has the property, and no longer obeys it (KIP-724)."""
    magic = magic_of(topic.message_format_version)
    if broker.release and not is_before(broker.release, "3.0") and magic != MAGIC_07:
        return TODAYS_MAGIC
    return magic


_FAST_LZ4 = 9
"""Kafka takes lz4's fast compressor for its default level, the thorough one for all others."""


def _stored(topic: TopicConfig) -> Stored | None:
    """What `compression.type` and the levels mean."""
    match topic.compression_type:
        case "producer":
            return None
        case "uncompressed":
            return Stored(Codec.NONE)
        case "gzip":
            level = topic.compression_gzip_level
            return Stored(Codec.GZIP, None if level < 0 else level)
        case "lz4":
            level = topic.compression_lz4_level
            return Stored(Codec.LZ4, None if level == _FAST_LZ4 else level)
        case "zstd":
            return Stored(Codec.ZSTD, topic.compression_zstd_level)
        case _:
            return Stored(Codec.SNAPPY)
