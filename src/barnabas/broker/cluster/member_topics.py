"""MemberTopics: the topics of the cluster as a member knows them, each with its properties in ZooKeeper."""

import logging
from collections.abc import Callable, Mapping
from functools import partial

from barnabas.broker.cluster.config_changes import ConfigChanges
from barnabas.broker.purgatory.registry_calls import ask
from barnabas.broker.purgatory.stepping import Steps
from barnabas.broker.replicas.replication_throttles import ReplicationThrottles
from barnabas.broker.topics.cluster_topics import ClusterTopics
from barnabas.broker.topics.hosting import Hosting
from barnabas.broker.znodes.topic_znodes import TOPICS, config_of, configs_of
from barnabas.cluster.image import Topic as TopicImage
from barnabas.errors import StorageError
from barnabas.ports import SharedRegistry
from barnabas.types import Topic

log = logging.getLogger(__name__)

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
    ) -> None:
        self._registry = registry
        self._topics = topics
        self._hosting = hosting
        self._throttles = throttles
        self._config_changes = config_changes

    def config(self, name: str) -> Config:
        """What is set for a topic itself, as far as is known."""
        topic = self._topics.get(name)
        return topic.config if topic is not None else {}

    def read_new(self, images: Mapping[str, TopicImage | None]) -> Steps[dict[str, Config]]:
        """The properties of those that are not known yet: all are asked for together."""
        names = [name for name, image in images.items() if image and not self._knows(name, image)]
        if not names:
            return {}
        read: dict[str, Config] = {}
        try:
            read = yield ask(self._registry, partial(configs_of, self._registry, names))
        except StorageError as error:
            log.warning("properties of topics not read", extra={"error": error})
        for name in [one for one in names if one not in read]:
            self._config_changes.read_later(f"topics/{name}")
        return read

    def _knows(self, name: str, image: TopicImage) -> bool:
        known = self._topics.get(name)
        return known is not None and known.topic_id == image.topic_id

    def show(self, name: str, image: TopicImage | None, read: Config) -> None:
        """Have the topic as the image has it, a new one with the properties that were read; None: no more."""
        if image is None:
            self._topics.forget(name)
            self._throttles.forget_topic(name)
            return
        config = self.config(name) if self._knows(name, image) else read
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
