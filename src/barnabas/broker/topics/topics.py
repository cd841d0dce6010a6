"""Topics: the broker's topics, stored in the registry, with their logs."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from barnabas.broker.purgatory.registry_calls import AT_ONCE, RegistryCalls
from barnabas.broker.purgatory.stepping import Steps, at_once
from barnabas.broker.topics.deletions import Deletions
from barnabas.broker.topics.hosting import Hosting
from barnabas.broker.topics.topic_names import TopicNames, check_partition
from barnabas.broker.topics.topic_rules import check_own
from barnabas.broker.znodes.config_znodes import encode_config
from barnabas.broker.znodes.topic_znodes import (
    CONFIGS,
    TOPICS,
    TransactionalRegistry,
    encode_topic,
    write_configs,
    write_new,
)
from barnabas.config.broker import BrokerConfig
from barnabas.coordinators.internal_topics import INTERNAL_TOPICS
from barnabas.errors import (
    BrokerError,
    ErrorCode,
    KafkaError,
    StorageError,
)
from barnabas.ports import Entropy, Registry
from barnabas.types import RequestedTopic, Topic

log = logging.getLogger(__name__)

_PARTITIONS_A_STEP = 16
"""Partitions to create in one step: about 20 ms of work."""


class Topics:
    """All topics by name. Each change is durable in the registry when the call returns, or its steps end.

    `changes` counts the changes, so that values derived from topics can be cached until it changes.
    `on_change` is called with a topic whose partitions have logs, `deletions.on_deleted` with a deleted one.
    """

    are_shared = False
    """Whether topics are shared with other brokers: then a topic unknown here may exist."""

    def __init__(
        self, registry: Registry, hosting: Hosting, entropy: Entropy, config: BrokerConfig
    ) -> None:
        self.registry = registry
        self._calls = RegistryCalls(registry)
        self.hosting = hosting
        self.entropy = entropy
        self.config = config
        self._by_name: dict[str, Topic] = {}
        self._by_id: dict[bytes, Topic] = {}
        self.names = TopicNames()
        self.changes = 0
        self.on_change: list[Callable[[Topic], None]] = []
        self.deletions = Deletions(registry, hosting, self._by_id, self._take_out)
        self._closed = False
        self.shared: TransactionalRegistry | None = None
        """The registry, if others may delete a topic while its properties are written beside the loop."""

    def __iter__(self) -> Iterator[Topic]:
        """All topics, sorted by name."""
        return iter(sorted(self._by_name.values()))

    def __len__(self) -> int:
        return len(self._by_name)

    def get(self, name: str) -> Topic | None:
        """The topic of that name, or None."""
        return self._by_name.get(name)

    def by_id(self, topic_id: bytes) -> Topic | None:
        """The topic with that id, or None."""
        return self._by_id.get(topic_id)

    def create(
        self, name: str, partitions: Mapping[int, list[int]], config: Mapping[str, str]
    ) -> Topic:
        """Create a topic with these partitions (replicas by index) and properties.

        Raises:
            BrokerError: the name or a property is invalid, or the topic exists.
            StorageError: it cannot be written; the topic does not exist.
        """
        self.check_new(name, config)
        outcomes: dict[str, Topic | KafkaError] = {}
        wanted = RequestedTopic(name, partitions, config)
        at_once(self.create_all_in_steps([wanted], outcomes, AT_ONCE))
        made = outcomes[name]
        if isinstance(made, KafkaError):
            raise made
        return made

    def create_all_in_steps(
        self,
        wanted: Sequence[RequestedTopic],
        outcomes: dict[str, Topic | KafkaError],
        calls: RegistryCalls | None = None,
    ) -> Steps[None]:
        """Create topics that passed `check_new`: write all together, then host a few partitions a step.

        They are written beside the loop, unless `calls` does so at once; their names are taken meanwhile.
        Partitions have no leader until their step; a topic that is deleted meanwhile gets no more partitions.
        `outcomes` receives each topic, or the error if it could not be written.
        """
        topics = [one.with_id(self._new_id()) for one in wanted]
        calls = calls or self._calls
        for topic in topics:
            self.names.add(topic.name)
        try:
            self.hosting.check_room()
            there = yield from self._write_new(topics, calls)
        except StorageError as error:
            outcomes.update(dict.fromkeys((topic.name for topic in topics), error))
            self._free(topic.name for topic in topics)
            return
        self._free(there)
        for name in there:
            what = f"topic {name} is being made by somebody else"
            outcomes[name] = BrokerError(ErrorCode.TOPIC_ALREADY_EXISTS, what)
        mine = [topic for topic in topics if topic.name not in there]
        yield from self._serve_new(mine, outcomes, calls)

    def _free(self, names: Iterable[str]) -> None:
        """Let others have names for which no topic was made."""
        for name in names:
            if name not in self._by_name:
                self.names.remove(name)

    def _write_new(self, topics: Sequence[Topic], calls: RegistryCalls) -> Steps[set[str]]:
        """As `topic_znodes.write_new`."""
        return (yield from calls.make(partial(write_new, self.registry, topics)))

    def _new_id(self) -> bytes:
        return self.entropy.uuid()

    def _serve_new(
        self,
        topics: Sequence[Topic],
        outcomes: dict[str, Topic | KafkaError],
        calls: RegistryCalls,
    ) -> Steps[None]:
        """Host topics that have been written."""
        for topic in topics:
            self._keep(topic)
        for topic in topics:
            outcomes[topic.name] = topic
            try:
                for _ in self._host_in_steps(topic):
                    yield
            except StorageError as error:
                log.warning(
                    "creation of a topic undone", extra={"topic": topic.name, "error": error}
                )
                yield from self._take_back(topic, calls)
                outcomes[topic.name] = error
                continue
            self.notify(topic.topic_id)
            fields = {"topic": topic.name, "partitions": len(topic.partitions)}
            log.info("topic created", extra=fields)

    def asks_for(self, wanted: RequestedTopic) -> bool:
        """Whether the controller creates internal topics; if so, request this one from it."""
        del wanted
        return False

    def _take_back(self, topic: Topic, calls: RegistryCalls) -> Steps[None]:
        failed: dict[str, KafkaError] = {}
        yield from self.deletions.in_steps([topic], failed, calls)
        for name, error in failed.items():
            # The caller gets the error of the creation, not this one.
            log.warning("partly created topic not removed", extra={"topic": name, "error": error})

    def check_new(self, name: str, config: Mapping[str, str]) -> None:
        """Check that a topic of that name, with these properties, can be created.

        Raises:
            BrokerError: as `TopicNames.check_new`, or INVALID_CONFIG.
        """
        self.names.check_new(name)
        # Internal topics have the properties that this broker needs, whatever its release.
        self.check_config(config, config if name in INTERNAL_TOPICS else {})

    def add_partitions(self, name: str, added: Mapping[int, list[int]]) -> Topic:
        """Add partitions to a topic; raises as `add_partitions_in_steps`."""
        return at_once(self.add_partitions_in_steps(name, added, AT_ONCE))

    def add_partitions_in_steps(
        self, name: str, added: Mapping[int, list[int]], calls: RegistryCalls | None = None
    ) -> Steps[Topic]:
        """Like `add_partitions`, a few partitions in each step, as in `create_all_in_steps`.

        Raises:
            BrokerError: there is no such topic.
            StorageError: it cannot be written.
        """
        topic = self._existing(name)
        check_partition(name, max(added))
        topic = topic._replace(partitions={**topic.partitions, **added})
        write = partial(self.registry.set, f"{TOPICS}/{name}", encode_topic(topic))
        yield from (calls or self._calls).make(write)
        # Meanwhile its properties may have changed, or it may be gone.
        now = self._by_id.get(topic.topic_id)
        if now is None:
            raise _unknown(name)
        topic = now._replace(partitions={**now.partitions, **added})
        self._keep(topic)
        yield from self._host_in_steps(topic)
        self.notify(topic.topic_id)
        return topic

    def configure(self, name: str, config: Mapping[str, str]) -> Topic:
        """Replace the properties that a topic sets.

        Raises:
            BrokerError: there is no such topic, or a property is invalid.
            StorageError: it cannot be written.
        """
        self.check_config(config, self._existing(name).config)
        self.check_kept(name, config)
        self.configure_all({name: config})
        return self._by_name[name]

    def check_kept(self, name: str, config: Mapping[str, str]) -> None:
        """Like `Hosting.check_kept`."""
        self.hosting.check_kept(name, config)

    def configure_all(self, configs: Mapping[str, Mapping[str, str]]) -> None:
        """Replace the properties of topics by name; the topics must exist, and the properties be checked.

        Raises:
            StorageError: they cannot be written.
        """
        self.write_configs(configs)
        self.adopt_configs(configs)

    def write_configs(self, configs: Mapping[str, Mapping[str, str]]) -> set[str]:
        """Write properties into the registry, for `adopt_configs`; return the topics that no longer exist.

        Only calls the registry. Raises as `configure_all`.
        """
        if self.shared is not None:
            return write_configs(self.shared, configs)
        self.registry.set_all(
            {f"{CONFIGS}/{name}": encode_config(config) for name, config in configs.items()}
        )
        return set()

    def adopt_configs(self, configs: Mapping[str, Mapping[str, str]]) -> None:
        """Apply written properties to the topics that still exist."""
        there = {name: config for name, config in configs.items() if name in self._by_name}
        for name, config in there.items():
            self._keep(self._by_name[name]._replace(config=config))
        self.hosting.configure(there)

    def give_up(self, name: str, index: int) -> None:
        """Serve an offline partition without its lost records.

        Raises:
            BrokerError: there is no such topic.
            StorageError: as `Hosting.give_up`.
        """
        topic = self._existing(name)
        self.hosting.give_up(name, topic.topic_id, index, topic.config)
        self.changes += 1
        self.notify(topic.topic_id)

    def adopt(self, config: BrokerConfig) -> None:
        """Use these properties of the broker, also as defaults of topics."""
        self.config = config
        self.hosting.adopt(config)
        self.hosting.configure({topic.name: topic.config for topic in self._by_name.values()})

    def delete(self, name: str) -> None:
        """Delete a topic with its records.

        Raises:
            BrokerError: there is no such topic.
            StorageError: it cannot be written; the next start completes the deletion.
        """
        failed: dict[str, KafkaError] = {}
        for _ in self.deletions.in_steps([self._existing(name)], failed, AT_ONCE):
            pass
        if name in failed:
            raise failed[name]

    def _take_out(self, topic: Topic) -> None:
        self._by_name.pop(topic.name, None)
        self.names.remove(topic.name)
        self._by_id.pop(topic.topic_id, None)
        self.changes += 1

    def _existing(self, name: str) -> Topic:
        topic = self._by_name.get(name)
        if topic is None:
            raise _unknown(name)
        return topic

    def check_config(
        self,
        config: Mapping[str, str],
        already: Mapping[str, str],
        of_values: ErrorCode = ErrorCode.INVALID_CONFIG,
    ) -> None:
        """Check the properties of a topic; those that it has `already` may be of any release.

        `of_values` is the error code for an invalid value.

        Raises:
            BrokerError: INVALID_CONFIG: a property is unknown; or a value is invalid.
        """
        check_own(config, already, self.config, of_values)

    def host(self, topic: Topic) -> None:
        """Serve a topic of the registry, with its existing or new logs.

        Raises:
            StorageError: a log cannot be created.
        """
        self._keep(topic)
        name, topic_id, partitions, config = topic
        self.hosting.host(name, topic_id, partitions, config, is_new=False)

    def _host_in_steps(self, topic: Topic) -> Iterator[None]:
        indexes = list(topic.partitions)
        for first in range(0, len(indexes), _PARTITIONS_A_STEP):
            # Its properties may have changed since the last step, or it may be gone.
            now = self._by_id.get(topic.topic_id)
            if now is None or self._closed:
                return
            step = indexes[first : first + _PARTITIONS_A_STEP]
            self.hosting.host(now.name, now.topic_id, step, now.config)
            self.changes += 1
            yield

    def notify(self, topic_id: bytes) -> None:
        """Call `on_change` with a topic, if it still exists."""
        topic = self._by_id.get(topic_id)
        if topic is not None:  # It may have been deleted between two steps.
            for callback in self.on_change:
                callback(topic)

    def close(self) -> None:
        """Host no more topics; partitions without logs get them at the next start."""
        self._closed = True

    def _keep(self, topic: Topic) -> None:
        self._by_name[topic.name] = self._by_id[topic.topic_id] = topic
        self.names.add(topic.name)
        self.changes += 1


def _unknown(name: str) -> BrokerError:
    return BrokerError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"there is no topic {name}")
