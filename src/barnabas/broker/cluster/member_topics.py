"""MemberTopics: a member's view of the cluster's topics and their properties in ZooKeeper.

Clients see a topic when UpdateMetadata has named it, with all its partitions. A LeaderAndIsr names only
partitions with a replica on this broker: a client that counted these would send keys to other partitions.

Source: Kafka's ReplicaManager, where LeaderAndIsr does not change the metadata cache.
"""

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
from barnabas.cluster.deltas import named
from barnabas.cluster.image import ClusterImage, ImageDelta
from barnabas.cluster.image import Topic as TopicImage
from barnabas.coordinators.offsets.partitioning import partition_for
from barnabas.errors import StorageError
from barnabas.ports import SharedRegistry
from barnabas.protocol.update_metadata import UpdateMetadataRequest
from barnabas.replication.leader import Limits
from barnabas.types import NodeId, Topic

log = logging.getLogger(__name__)

_MIN_ISR = "min.insync.replicas"

Config = Mapping[str, str]


class MemberTopics:
    """The topics of the image with the properties that they set."""

    def __init__(
        self,
        registry: SharedRegistry,
        topics: ClusterTopics,
        hosting: Hosting,
        throttles: ReplicationThrottles,
        config_changes: ConfigChanges,
        limits: Limits,
    ) -> None:
        """`limits` apply to leaders of topics that set none."""
        self._registry = registry
        self._topics = topics
        self._hosting = hosting
        self._throttles = throttles
        self._config_changes = config_changes
        self._limits = limits
        self._images: dict[str, TopicImage] = {}
        self._unnamed: dict[str, Topic] = {}
        """The topics that no UpdateMetadata has named yet; clients do not see them."""
        self._named: dict[str, set[int]] = {}
        """By topic: the partitions that an UpdateMetadata has named."""

    def config(self, name: str) -> Config:
        """The properties that a topic sets, as far as they are known."""
        topic = self._find(name)
        return topic.config if topic is not None else {}

    def count(self, name: str) -> int:
        """How many partitions a topic has; 0: clients do not see it."""
        topic = self._topics.get(name)
        return len(topic.partitions) if topic is not None else 0

    def leader_of(self, name: str, key: str) -> NodeId | None:
        """The leader of a key's partition in an internal topic; None: unknown, or none."""
        count = self.count(name)
        state = self._images[name].partitions.get(partition_for(key, count)) if count else None
        return None if state is None or state.leader < 0 else state.leader

    def limits(self, name: str) -> Limits:
        """The limits of the leaders of a topic."""
        own = self.config(name).get(_MIN_ISR, "")
        # Tools may write anything into ZooKeeper: ignore what is not a number.
        return (
            replace(self._limits, min_insync_replicas=int(own)) if own.isdecimal() else self._limits
        )

    def unknown(self, image: ClusterImage, delta: ImageDelta) -> list[str]:
        """The topics of a delta whose properties must be read."""
        if not delta.topics:
            return []
        known = image.apply(delta).topics
        after = {name: known.get(name) for name in delta.topics}
        return [name for name, topic in after.items() if topic and not self._knows(name, topic)]

    def read(self, names: Sequence[str]) -> Steps[dict[str, Config]]:
        """Read the properties of topics together; if that fails, return none."""
        try:
            read: dict[str, Config] = yield ask(
                self._registry, partial(configs_of, self._registry, names)
            )
        except StorageError as error:
            log.warning("properties of topics not read", extra={"error": error})
            return {}
        return read

    def _find(self, name: str) -> Topic | None:
        return self._topics.get(name) or self._unnamed.get(name)

    def _knows(self, name: str, image: TopicImage) -> bool:
        known = self._find(name)
        return known is not None and known.topic_id == image.topic_id

    def show(self, name: str, image: TopicImage | None, read: Config | None) -> None:
        """Take a topic from the image; None: it was deleted.

        `read` are the properties of a new topic; None: they could not be read, and are read later.
        """
        if image is None:
            for kept in (self._images, self._unnamed, self._named):
                kept.pop(name, None)
            self._topics.forget(name)
            self._throttles.forget_topic(name)
            return
        is_known, known = self._knows(name, image), self._find(name)
        if known is not None and image.is_other(known.topic_id):
            self._named.pop(name, None)
        if not is_known and read is None:
            self._config_changes.read_later(f"topics/{name}")
        config = self.config(name) if is_known else read or {}
        self._images[name] = image
        self._keep(image, config)

    def name_all(self, request: UpdateMetadataRequest) -> Steps[bool]:
        """Show clients the topics that an UpdateMetadata names; return whether it names any."""
        found = named(request)
        for name, partitions in found.items():
            image, known = self._images.get(name), self._named.setdefault(name, set())
            if image is not None and not known.issuperset(partitions):
                known.update(partitions)
                self._keep(image, self.config(name))
                yield
        return bool(found)

    def are_none(self) -> Steps[bool]:
        """Whether it is certain that the cluster has no topics."""
        try:
            names: list[str] = yield ask(self._registry, partial(self._registry.children, TOPICS))
        except StorageError as error:
            log.warning("could not find out whether there are topics", extra={"error": error})
            return False
        return not names

    def take_config(self, name: str) -> Steps[Config]:
        """Read and apply the changed properties of a topic. Raises StorageError: they cannot be read."""
        config: Config = yield ask(self._registry, partial(config_of, self._registry, name))
        topic = self._find(name)
        if topic is not None:
            # If this broker made the change, its topics and logs have it already.
            if config != topic.config:
                self._hosting.configure({name: config})
            self._put(topic._replace(config=config))
        return config

    def when_deleted(self, name: str, on_known: Callable[[bool], None]) -> None:
        """Call `on_known` with whether it is certain that no topic of that name exists."""
        path = f"{TOPICS}/{name}"

        def known(node: object) -> None:
            if isinstance(node, Exception):
                fields = {"topic": name, "error": node}
                log.warning("could not find out whether a topic exists", extra=fields)
            on_known(node is None)

        self._registry.later(lambda: self._registry.get(path), known)

    def _keep(self, image: TopicImage, config: Config) -> None:
        known = self._named.get(image.name, set())
        known &= image.partitions.keys()
        replicas: dict[int, list[int]] = {
            index: [*state.replicas]
            for index, state in image.partitions.items()
            if not known or index in known
        }
        self._put(Topic(image.name, image.topic_id, replicas, config))

    def _put(self, topic: Topic) -> None:
        if self._named.get(topic.name):
            self._unnamed.pop(topic.name, None)
            self._topics.show(topic)
        else:
            self._topics.forget(topic.name)
            self._unnamed[topic.name] = topic
        self._throttles.take_topic(topic)
