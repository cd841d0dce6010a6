"""MemberTopics: the topics of the cluster as a member knows them, each with its properties in ZooKeeper."""

import logging
from collections.abc import Mapping

from barnabas.broker.cluster.config_changes import ConfigChanges
from barnabas.broker.replicas.replication_throttles import ReplicationThrottles
from barnabas.broker.topics.cluster_topics import ClusterTopics
from barnabas.broker.topics.hosting import Hosting
from barnabas.broker.znodes.topic_znodes import TOPICS, config_of
from barnabas.cluster.image import Topic as TopicImage
from barnabas.errors import StorageError
from barnabas.ports import SharedRegistry
from barnabas.types import Topic

log = logging.getLogger(__name__)


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

    def config(self, name: str) -> Mapping[str, str]:
        """What is set for a topic itself, as far as is known."""
        topic = self._topics.get(name)
        return topic.config if topic is not None else {}

    def show(self, name: str, image: TopicImage | None) -> None:
        """Have the topic as the image has it; None: no more."""
        if image is None:
            self._topics.forget(name)
            self._throttles.forget_topic(name)
            return
        known = self._topics.get(name)
        is_known = known is not None and known.topic_id == image.topic_id
        config = known.config if known is not None and is_known else self._read_config(name)
        replicas: dict[int, list[int]] = {
            index: [*state.replicas] for index, state in image.partitions.items()
        }
        self._keep(Topic(name, image.topic_id, replicas, config))

    def take_config(self, name: str) -> Mapping[str, str]:
        """The properties of a topic have changed. Raises StorageError: they cannot be read."""
        topic = self._topics.get(name)
        config = config_of(self._registry, name)
        if topic is not None:
            # Where this broker made the change, its topics and logs have it already.
            if config != topic.config:
                self._hosting.configure({name: config})
            self._keep(topic._replace(config=config))
        return config

    def is_deleted(self, name: str) -> bool:
        """Whether there is surely no topic of that name."""
        try:
            return self._registry.get(f"{TOPICS}/{name}") is None
        except StorageError as error:
            log.warning("not known whether a topic is there", extra={"topic": name, "error": error})
            return False

    def _keep(self, topic: Topic) -> None:
        self._topics.show(topic)
        self._throttles.take_topic(topic)

    def _read_config(self, name: str) -> Mapping[str, str]:
        try:
            return config_of(self._registry, name)
        except StorageError as error:
            log.warning("properties of a topic not read", extra={"topic": name, "error": error})
            self._config_changes.read_later(f"topics/{name}")
            return {}
