"""Hosting: creates, opens, configures and deletes logs and replicas as topics change."""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence

from barnabas.broker.properties.log_properties import FORMAT, config_of_kept, log_config
from barnabas.broker.replicas.replica_manager import ReplicaManager
from barnabas.config.broker import BrokerConfig
from barnabas.errors import BrokerError, ErrorCode, KafkaError, StorageError
from barnabas.log.manager import LogManager
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.segments.log_config import LogConfig
from barnabas.types import NO_TOPIC_ID, TopicPartition

log = logging.getLogger(__name__)

DROPPED_A_STEP = 50
"""Partitions: about 10 ms of work."""


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

    def log_for(
        self, place: TopicPartition, topic_id: bytes, own: Mapping[str, object], *, is_new: bool
    ) -> PartitionLog:
        """The log of one of several replicas: the one that is there, or a new one.

        One that is lost is empty again: the other replicas have what it had. But while a log directory is
        offline, it may be there: unless the replica `is_new`, it is offline then, as in Kafka.

        Raises:
            StorageError: it cannot be made.
        """
        found = self._logs.get(place) if topic_id == NO_TOPIC_ID else self._found(place, topic_id)
        if found is not None:
            return found
        config = config_of_kept(own, self._broker_config)
        found = self._lost(place, topic_id, config, is_new=is_new, has_replicas=True)
        return found or self._logs.create(place, topic_id, config)

    def logs(self) -> Iterator[PartitionLog]:
        """The logs that are there, served or not."""
        return self._logs.logs()

    def delete(self, place: TopicPartition) -> None:
        """Delete the log of a partition that is not served; fine if there is none.

        Raises:
            StorageError: it cannot be renamed; it stays.
        """
        if self._logs.get(place) is not None:
            self._logs.delete(place)

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
                fields = {"topic": place.topic, "partition": place.partition, "error": error}
                log.warning("topic id of a log not written", extra=fields)
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
        self,
        place: TopicPartition,
        topic_id: bytes,
        config: LogConfig,
        *,
        is_new: bool,
        has_replicas: bool = False,
    ) -> PartitionLog | None:
        """What stands for a log that the broker had; the log says what to do, where nothing else did."""
        found = self._logs.find_lost(
            place, topic_id, config, is_new=is_new, has_replicas=has_replicas
        )
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
        if FORMAT not in own:
            return
        wanted = log_config(own, self._broker_config, own).byte_positions
        for partition in self._replicas.partitions():
            log = partition.log
            if log.topic_partition.topic == topic and log.config.byte_positions != wanted:
                what = (
                    f"{FORMAT}={own[FORMAT]}: offsets of {topic} would no longer be what they are"
                )
                raise BrokerError(ErrorCode.INVALID_CONFIG, what)

    def drop_in_steps(self, topics: Sequence[str], failed: dict[str, KafkaError]) -> Iterator[None]:
        """Delete the logs of topics, a few a step; `failed` receives those that cannot be renamed."""
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
                partition.configure(config)
