"""Topics: what topics there are, written in the registry, and hosted by this broker."""

import logging
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from barnabas.broker.topics.deletions import Deletions
from barnabas.broker.topics.found_logs import ForeignTopic, id_of, sorted_logs
from barnabas.broker.topics.hosting import Hosting
from barnabas.broker.topics.topic_names import TopicNames, check_partition
from barnabas.broker.topics.topic_rules import check_own
from barnabas.broker.znodes.config_znodes import encode_config
from barnabas.broker.znodes.topic_znodes import (
    CONFIGS,
    DELETIONS,
    NO_ID,
    TOPICS,
    RequestedTopic,
    Topic,
    config_of,
    decode_topic,
    encode_topic,
    write_new,
    written_in,
)
from barnabas.config.broker import BrokerConfig
from barnabas.coordinators.internal_topics import INTERNAL_TOPICS
from barnabas.errors import (
    BrokerError,
    ErrorCode,
    KafkaError,
    RegistryUnavailable,
    StorageError,
)
from barnabas.log.manager import LogManager
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.ports import Entropy, Registry

if TYPE_CHECKING:
    from barnabas.broker.topics.kraft_metadata import RecordedTopic

log = logging.getLogger(__name__)

_PARTITIONS_A_STEP = 16
"""About 20 ms of work."""


class Topics:
    """All topics by name. Each change is durable in the registry when the call returns.

    `changes` counts them, so that what was made from the topics can be kept until it moves.
    `on_change` is called with a topic whose partitions have logs, `deletions.on_deleted` with one
    that is gone.
    """

    def __init__(
        self, registry: Registry, hosting: Hosting, entropy: Entropy, config: BrokerConfig
    ) -> None:
        self._registry = registry
        self._hosting = hosting
        self._entropy = entropy
        self._config = config
        self._by_name: dict[str, Topic] = {}
        self._by_id: dict[bytes, Topic] = {}
        self._names = TopicNames()
        self.changes = 0
        self.on_change: list[Callable[[Topic], None]] = []
        self.deletions = Deletions(registry, hosting, self._by_id, self._take_out)
        self._closed = False

    def __iter__(self) -> Iterator[Topic]:
        """All topics, sorted by name."""
        return iter(sorted(self._by_name.values()))

    def __len__(self) -> int:
        return len(self._by_name)

    def get(self, name: str) -> Topic | None:
        """The topic of that name."""
        return self._by_name.get(name)

    def by_id(self, topic_id: bytes) -> Topic | None:
        """The topic with that id."""
        return self._by_id.get(topic_id)

    def load(
        self, logs: LogManager, recorded: Callable[[], Mapping[str, "RecordedTopic"]] = dict
    ) -> None:
        """Read the registry, end deletions that were begun, and host what there is.

        Logs whose topic the registry does not know were brought by somebody, such as a Kafka: their
        topics are taken over, with what is `recorded` of them, which is asked if there are any.

        Raises:
            StorageError: the registry or a log cannot be read.
        """
        deleted = set(self._registry.children(DELETIONS))
        written = written_in(self._registry)
        found, foreign = sorted_logs(logs, written, deleted)
        self.deletions.end(*deleted)
        for name in written.configs.keys() - written.topics.keys() - foreign.keys():
            # The broker was killed before it wrote the topic they are of.
            self._registry.delete(f"{CONFIGS}/{name}")
        for name in sorted(
            written.topics.keys() - deleted, key=lambda one: (one not in found, one)
        ):
            data, there = written.topics[name], found.get(name, [])
            if data:
                topic = decode_topic(name, data, written.config_of(name))
                if there or self._may_be_made(topic):
                    with suppress(StorageError):  # The log says which partitions have none.
                        self._host(self._identified(topic, there))
        known_of = recorded() if foreign else {}
        for name, brought in foreign.items():
            kept = written.config_of(name)
            self._take_over(ForeignTopic(name, brought, known_of.get(name), kept))

    def create(
        self, name: str, partitions: Mapping[int, list[int]], config: Mapping[str, str]
    ) -> Topic:
        """Make a topic with these partitions (replicas by index) and properties.

        Raises:
            BrokerError: the name or a property is not allowed, or the topic exists.
            StorageError: it cannot be written; the topic does not exist.
        """
        self.check_new(name, config)
        outcomes: dict[str, Topic | KafkaError] = {}
        for _ in self.create_all_in_steps([RequestedTopic(name, partitions, config)], outcomes):
            pass
        made = outcomes[name]
        if isinstance(made, KafkaError):
            raise made
        return made

    def create_all_in_steps(
        self, wanted: Sequence[RequestedTopic], outcomes: dict[str, Topic | KafkaError]
    ) -> Generator[None, None, None]:
        """Create topics that passed `check_new`: write all together, then host a few partitions a step.

        Partitions have no leader until their step; a topic that is deleted meanwhile gets no more.
        `outcomes` receives each topic, or the error if it could not be written.
        """
        topics = [one.with_id(self._new_id()) for one in wanted]
        try:
            self._hosting.check_room()
            there = write_new(self._registry, topics)
        except StorageError as error:
            outcomes.update(dict.fromkeys((topic.name for topic in topics), error))
            return
        for name in there:
            what = f"topic {name} is being made by somebody else"
            outcomes[name] = BrokerError(ErrorCode.TOPIC_ALREADY_EXISTS, what)
        mine = [topic for topic in topics if topic.name not in there]
        yield from self._serve_new(mine, outcomes)

    def _new_id(self) -> bytes:
        return self._entropy.uuid()

    def _serve_new(
        self, topics: Sequence[Topic], outcomes: dict[str, Topic | KafkaError]
    ) -> Iterator[None]:
        """Host topics that are written."""
        for topic in topics:
            self._keep(topic)
        for topic in topics:
            outcomes[topic.name] = topic
            try:
                for _ in self._host_in_steps(topic):
                    yield
            except StorageError as error:
                log.warning("topic taken back", extra={"topic": topic.name, "error": error})
                self._take_back(topic.name)
                outcomes[topic.name] = error
                continue
            self._tell(topic.topic_id)
            fields = {"topic": topic.name, "partitions": len(topic.partitions)}
            log.info("topic created", extra=fields)

    def asks_for(self, wanted: RequestedTopic) -> bool:
        """Whether an internal topic is made by somebody else, who was asked now."""
        del wanted
        return False

    def _take_back(self, name: str) -> None:
        try:
            self.delete(name)
        except StorageError as error:
            # What made its creation fail is what the caller has to know.
            log.warning("half of a topic is left", extra={"topic": name, "error": error})

    def check_new(self, name: str, config: Mapping[str, str]) -> None:
        """Whether a topic of that name could be made.

        Raises:
            BrokerError: as `TopicNames.check_new`, or INVALID_CONFIG.
        """
        self._names.check_new(name)
        # The broker's own topics have what it needs, of whatever release it is.
        self.check_config(config, config if name in INTERNAL_TOPICS else {})

    def add_partitions(self, name: str, added: Mapping[int, list[int]]) -> Topic:
        """Give a topic further partitions; raises as `add_partitions_in_steps`."""
        *_, topic = self.add_partitions_in_steps(name, added)
        return topic

    def add_partitions_in_steps(self, name: str, added: Mapping[int, list[int]]) -> Iterator[Topic]:
        """As `add_partitions`, a few partitions a step, like `create_all_in_steps`.

        Raises:
            BrokerError: there is no such topic.
            StorageError: it cannot be written.
        """
        topic = self._existing(name)
        check_partition(name, max(added))
        topic = topic._replace(partitions={**topic.partitions, **added})
        self._registry.set(f"{TOPICS}/{name}", encode_topic(topic))
        self._keep(topic)
        yield from self._host_in_steps(topic)
        self._tell(topic.topic_id)

    def configure(self, name: str, config: Mapping[str, str]) -> Topic:
        """Replace a topic's own properties.

        Raises:
            BrokerError: there is no such topic, or a property is not allowed.
            StorageError: it cannot be written.
        """
        self.check_config(config, self._existing(name).config)
        self.check_kept(name, config)
        self.configure_all({name: config})
        return self._by_name[name]

    def check_kept(self, name: str, config: Mapping[str, str]) -> None:
        """As `Hosting.check_kept`."""
        self._hosting.check_kept(name, config)

    def configure_all(self, configs: Mapping[str, Mapping[str, str]]) -> None:
        """Replace the own properties of topics by name, which are there and were checked.

        Raises:
            StorageError: they cannot be written.
        """
        self._registry.set_all(
            {f"{CONFIGS}/{name}": encode_config(config) for name, config in configs.items()}
        )
        for name, config in configs.items():
            self._keep(self._by_name[name]._replace(config=config))
        self._hosting.configure(configs)

    def give_up(self, name: str, index: int) -> None:
        """Serve a partition that is offline without the records that are lost.

        Raises:
            BrokerError: there is no such topic.
            StorageError: as `Hosting.give_up`.
        """
        topic = self._existing(name)
        self._hosting.give_up(name, topic.topic_id, index, topic.config)
        self.changes += 1
        self._tell(topic.topic_id)

    def adopt(self, config: BrokerConfig) -> None:
        """The broker's properties are these now, and with them what topics have of it."""
        self._config = config
        self._hosting.adopt(config)
        self._hosting.configure({topic.name: topic.config for topic in self._by_name.values()})

    def delete(self, name: str) -> None:
        """Delete a topic with its records.

        Raises:
            BrokerError: there is no such topic.
            StorageError: it cannot be written; the deletion is ended at the next start.
        """
        failed: dict[str, KafkaError] = {}
        for _ in self.deletions.in_steps([self._existing(name)], failed):
            pass
        if name in failed:
            raise failed[name]

    def _take_out(self, topic: Topic) -> None:
        self._by_name.pop(topic.name, None)
        self._names.remove(topic.name)
        self._by_id.pop(topic.topic_id, None)
        self.changes += 1

    def _existing(self, name: str) -> Topic:
        topic = self._by_name.get(name)
        if topic is None:
            raise BrokerError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"there is no topic {name}")
        return topic

    def check_config(
        self,
        config: Mapping[str, str],
        already: Mapping[str, str],
        of_values: ErrorCode = ErrorCode.INVALID_CONFIG,
    ) -> None:
        """Whether a topic could have these properties; what it has `already` may be of any release.

        `of_values` is the code for a value that is not allowed.

        Raises:
            BrokerError: INVALID_CONFIG: one is not known; or its value is not allowed.
        """
        check_own(config, already, self._config, of_values)

    def _host(self, topic: Topic) -> None:
        self._keep(topic)
        name, topic_id, partitions, config = topic
        self._hosting.host(name, topic_id, partitions, config, is_new=False)

    def _host_in_steps(self, topic: Topic) -> Iterator[Topic]:
        indexes = list(topic.partitions)
        for first in range(0, len(indexes), _PARTITIONS_A_STEP):
            # Its properties may have changed since the step before, and it may be gone.
            now = self._by_id.get(topic.topic_id)
            if now is None or self._closed:
                return
            step = indexes[first : first + _PARTITIONS_A_STEP]
            self._hosting.host(now.name, now.topic_id, step, now.config)
            self.changes += 1
            yield now

    def _tell(self, topic_id: bytes) -> None:
        topic = self._by_id.get(topic_id)
        if topic is not None:  # It may have been deleted between two steps.
            for tell in self.on_change:
                tell(topic)

    def close(self) -> None:
        """Host nothing more; partitions that are missing get their logs at the next start."""
        self._closed = True

    def _keep(self, topic: Topic) -> None:
        self._by_name[topic.name] = self._by_id[topic.topic_id] = topic
        self._names.add(topic.name)
        self.changes += 1

    def take_up(self, name: str) -> None:
        """Host a topic that somebody else has written into the registry.

        Raises:
            BrokerError: no topic can have that name, or its node is garbage.
            StorageError: the registry fails, or a log cannot be made.
        """
        data = self._registry.get(f"{TOPICS}/{name}")
        if data is None or not data[0] or name in self.deletions:
            return
        try:
            config = config_of(self._registry, name)
            topic = decode_topic(name, data[0], config)
        except RegistryUnavailable:
            raise
        except StorageError as error:
            raise BrokerError(ErrorCode.INVALID_REQUEST, str(error)) from error
        self._check_written(topic)
        self.check_config(config, config)
        self._host(self._identified(topic, []))
        self._tell(self._by_name[name].topic_id)
        log.info("topic taken up", extra={"topic": name, "partitions": len(topic.partitions)})

    def _check_written(self, topic: Topic) -> None:
        """Whether somebody else's topic can have logs here, as one that is made here. Raises BrokerError."""
        self._names.check_new(topic.name)
        for index in (min(topic.partitions, default=0), max(topic.partitions, default=0)):
            check_partition(topic.name, index)

    def _may_be_made(self, topic: Topic) -> bool:
        try:
            self._check_written(topic)
        except BrokerError as error:
            what = "topic in the registry has no log, can get none and is not served"
            log.error(what, extra={"topic": topic.name, "error": error})  # noqa: TRY400 - it says why
            return False
        return True

    def _identified(self, topic: Topic, found: list[PartitionLog]) -> Topic:
        """With the id that its logs have, or a new one, where its node has none."""
        if topic.topic_id != NO_ID:
            return topic
        topic = topic._replace(topic_id=id_of(found) or self._entropy.uuid())
        self._registry.set(f"{TOPICS}/{topic.name}", encode_topic(topic))
        return topic

    def _take_over(self, foreign: ForeignTopic) -> None:
        # Imported late: a broker starts faster without it.
        from barnabas.broker.topics.foreign_logs import foreign_topic, report_taken_over

        name, topic_id = foreign.name, id_of(foreign.found) or self._entropy.uuid()
        ours = topic_id, self._hosting.lost_indexes(name, topic_id), self._config
        topic = foreign_topic(foreign, *ours, lambda own: self.check_config(own, own))
        self._registry.set(f"{CONFIGS}/{name}", encode_config(topic.config))
        self._registry.create(f"{TOPICS}/{name}", encode_topic(topic))
        self._host(topic)
        self._hosting.configure({name: topic.config})
        report_taken_over(topic, self._names.colliding(name))
