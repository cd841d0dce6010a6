"""Hosting: creates, opens, configures and deletes logs and replicas as topics change."""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from barnabas.broker.properties.log_properties import FORMAT, config_of_kept, log_config
from barnabas.broker.purgatory.pending import Pending
from barnabas.broker.purgatory.stepping import Steps
from barnabas.broker.replicas.replica_manager import ReplicaManager
from barnabas.config.broker import BrokerConfig
from barnabas.errors import BrokerError, ErrorCode, KafkaError, StorageError
from barnabas.log.manager import LogManager
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.segments.log_config import LogConfig
from barnabas.types import NO_TOPIC_ID, TopicPartition

log = logging.getLogger(__name__)

DROPPED_A_STEP = 50
"""Partitions to delete in one step: about 10 ms of work."""


class Hosting:
    """The logs of topics on this broker's disks. Independent of the registry."""

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
        """Lead these partitions with existing or new logs; partitions already led stay as they are.

        `own` are the properties that the topic sets, by Kafka's names. Logs of a topic that is not new may be
        lost: such partitions are offline, and get no new log.

        Raises:
            StorageError: a log cannot be created; all others are led.
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
        """Return the existing log of one of several replicas, or create it.

        A lost log starts empty: the other replicas have its records. But while a log directory is offline,
        the log may be there: unless the replica `is_new`, it is then offline, as in Kafka.

        Raises:
            StorageError: it cannot be created.
        """
        found = self._logs.get(place) if topic_id == NO_TOPIC_ID else self._found(place, topic_id)
        if found is not None:
            return found
        config = config_of_kept(own, self._broker_config)
        found = self._lost(place, topic_id, config, is_new=is_new, has_replicas=True)
        return found or self._logs.create(place, topic_id, config)

    def logs(self) -> Iterator[PartitionLog]:
        """All logs, whether served or not."""
        return self._logs.logs()

    def delete(self, place: TopicPartition) -> None:
        """Delete the log of a partition that is not served, if it exists.

        A power failure may restore it until `sync_deletions`.

        Raises:
            StorageError: it cannot be renamed, and stays.
        """
        if self._logs.get(place) is not None:
            self._logs.delete(place, durable=False)

    def sync_deletions(self) -> None:
        """Bring to stable storage which logs were deleted. Raises StorageError."""
        self._logs.sync_directories()

    def _found(self, place: TopicPartition, topic_id: bytes) -> PartitionLog | None:
        """Return the log of a partition, if it exists and has this topic's id.

        Raises:
            StorageError: a log with another topic id cannot be moved away.
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
        # Either a topic of that name was deleted and its files could not be, or the registry is an older
        # copy: this broker cannot know which.
        moved = self._logs.set_aside(place)
        log.error(
            "log of an earlier topic of that name was moved: delete it if its records are not needed",
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
        """Return an offline log in place of a lost one; log what to do, unless that was logged before."""
        found = self._logs.find_lost(
            place, topic_id, config, is_new=is_new, has_replicas=has_replicas
        )
        for note in found.losses.notes if found is not None else ():
            log.error("log %s", note, extra=place._asdict())
        return found

    def lost_indexes(self, topic: str, topic_id: bytes) -> set[int]:
        """The partitions of a topic whose logs the broker had, and did not find when it started."""
        return self._logs.lost_indexes(topic, topic_id)

    def give_up(self, topic: str, topic_id: bytes, index: int, own: Mapping[str, object]) -> None:
        """Serve an offline partition without its lost records.

        Raises:
            StorageError: no records are lost, so a restart is enough; or it cannot be written.
        """
        place = TopicPartition(topic, index)
        if self._logs.get(place) is None:
            self.host(topic, topic_id, [index], own)
            return
        config = config_of_kept(own, self._broker_config)
        found = self._logs.give_up(place, topic_id, config)
        log.warning(
            "lost records of a partition were given up: it has offsets %d to %d",
            found.start_offset,
            found.end_offset,
            extra=place._asdict(),
        )
        self._replicas.lead(found, max(found.leader_epoch, 0))

    def check_room(self) -> None:
        """Check that new logs can be created. Raises DiskFull: no directory has room."""
        self._logs.check_room()

    def check_kept(self, topic: str, own: Mapping[str, object]) -> None:
        """Check that these properties do not change the meaning of a topic's offsets.

        Raises:
            BrokerError: INVALID_CONFIG: offsets would become byte positions, or cease to be.
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

    def drop_in_steps(self, topics: Sequence[str], failed: dict[str, KafkaError]) -> Steps[None]:
        """Delete the logs of topics, a few a step; their new names are synced beside the loop.

        `failed` receives those that cannot be renamed.
        """
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
        over = Pending()
        try:
            sync = self._logs.begin_sync_directories(partial(over.complete, None))
            if not sync.poll():
                yield over
                sync.wait()
        except StorageError as error:
            for topic in topics:
                failed.setdefault(topic, error)

    def adopt(self, broker_config: BrokerConfig) -> None:
        """Use these properties of the broker for logs that are created or configured from now on."""
        self._broker_config = broker_config

    def configure(self, owns: Mapping[str, Mapping[str, object]]) -> None:
        """Apply these properties to the logs of topics."""
        configs = {topic: config_of_kept(own, self._broker_config) for topic, own in owns.items()}
        for partition in self._replicas.partitions():
            config = configs.get(partition.log.topic_partition.topic)
            if config is not None:
                partition.configure(config)
