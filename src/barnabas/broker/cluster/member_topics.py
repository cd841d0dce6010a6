"""MemberTopics: the topics of the cluster as a member knows them, each with its properties in ZooKeeper."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from barnabas.broker.cluster.config_changes import ConfigChanges
from barnabas.broker.purgatory.registry_calls import ask
from barnabas.broker.purgatory.stepping import Steps
from barnabas.broker.replicas.replication_throttles import ReplicationThrottles
from barnabas.broker.topics.cluster_topics import ClusterTopics
from barnabas.broker.topics.hosting import Hosting
from barnabas.broker.znodes.topic_znodes import TOPICS, config_of, configs_of
from barnabas.cluster.image import ClusterImage, ImageDelta
from barnabas.cluster.image import Topic as TopicImage
from barnabas.errors import StorageError
from barnabas.ports import SharedRegistry
from barnabas.replication.leader import Limits
from barnabas.types import Topic

log = logging.getLogger(__name__)

_MIN_ISR = "min.insync.replicas"

Config = Mapping[str, str]


class MemberTopics:
    """What the image has of topics, and what they have set."""

    def __init__(
        self,
        registry: SharedRegistry,
        topics: ClusterTopics,
        hosting: Hosting,
        throttles: ReplicationThrottles,
        config_changes: ConfigChanges,
        limits: Limits,
    ) -> None:
        """`limits` are those of leaders whose topics have none of their own."""
        self._registry = registry
        self._topics = topics
        self._hosting = hosting
        self._throttles = throttles
        self._config_changes = config_changes
        self._limits = limits

    def config(self, name: str) -> Config:
        """What is set for a topic itself, as far as is known."""
        topic = self._topics.get(name)
        return topic.config if topic is not None else {}

    def limits(self, name: str) -> Limits:
        """Those of a topic's leaders."""
        own = self.config(name).get(_MIN_ISR, "")
        # ZooKeeper takes whatever a tool writes: what is no number does not count.
        return (
            replace(self._limits, min_insync_replicas=int(own)) if own.isdecimal() else self._limits
        )

    def unknown(self, image: ClusterImage, delta: ImageDelta) -> list[str]:
        """Topics of a delta whose properties have to be read."""
        if not delta.topics:
            return []
        known = image.apply(delta).topics
        after = {name: known.get(name) for name in delta.topics}
        return [name for name, topic in after.items() if topic and not self._knows(name, topic)]

    def read(self, names: Sequence[str]) -> Steps[dict[str, Config]]:
        """The properties of topics, asked for together; those that cannot be read are left out."""
        try:
            read: dict[str, Config] = yield ask(
                self._registry, partial(configs_of, self._registry, names)
            )
        except StorageError as error:
            log.warning("properties of topics not read", extra={"error": error})
            return {}
        return read

    def _knows(self, name: str, image: TopicImage) -> bool:
        known = self._topics.get(name)
        return known is not None and known.topic_id == image.topic_id

    def show(self, name: str, image: TopicImage | None, read: Config | None) -> None:
        """Have the topic as the image has it; None: no more.

        A new one has the properties that were `read`; those that could not be are read later.
        """
        if image is None:
            self._topics.forget(name)
            self._throttles.forget_topic(name)
            return
        is_known = self._knows(name, image)
        if not is_known and read is None:
            self._config_changes.read_later(f"topics/{name}")
        config = self.config(name) if is_known else read or {}
        replicas: dict[int, list[int]] = {
            index: [*state.replicas] for index, state in image.partitions.items()
        }
        self._keep(Topic(name, image.topic_id, replicas, config))

    def take_config(self, name: str) -> Steps[Config]:
        """The properties of a topic have changed. Raises StorageError: they cannot be read."""
        config: Config = yield ask(self._registry, partial(config_of, self._registry, name))
        topic = self._topics.get(name)
        if topic is not None:
            # Where this broker made the change, its topics and logs have it already.
            if config != topic.config:
                self._hosting.configure({name: config})
            self._keep(topic._replace(config=config))
        return config

    def when_deleted(self, name: str, on_known: Callable[[bool], None]) -> None:
        """Call with whether there is surely no topic of that name."""
        path = f"{TOPICS}/{name}"

        def known(node: object) -> None:
            if isinstance(node, Exception):
                fields = {"topic": name, "error": node}
                log.warning("not known whether a topic is there", extra=fields)
            on_known(node is None)

        self._registry.later(lambda: self._registry.get(path), known)

    def _keep(self, topic: Topic) -> None:
        self._topics.show(topic)
        self._throttles.take_topic(topic)
