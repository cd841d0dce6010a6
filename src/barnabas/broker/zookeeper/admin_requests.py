"""ZooKeeperAdminRequests: requests that old tools write to ZooKeeper: create and delete topics.

kafka-topics of 0.8 to 2.8 with --zookeeper writes a topic's node itself, or its name below
/admin/delete_topics, and leaves the rest to the controller. Source: Kafka's AdminUtils, KafkaController.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence

from barnabas.broker.broker import Broker
from barnabas.broker.purgatory.registry_calls import AT_ONCE
from barnabas.broker.purgatory.stepping import Steps
from barnabas.broker.topics.registered_topics import take_up
from barnabas.broker.znodes.topic_znodes import DELETIONS, TOPICS
from barnabas.errors import BrokerError, KafkaError, StorageError
from barnabas.ports import SharedRegistry, Timer

log = logging.getLogger(__name__)

_AGAIN_SECONDS = 2.0


class ZooKeeperAdminRequests:
    """Handles requests that ZooKeeper reports. An unreadable one is logged, and left in place."""

    def __init__(self, registry: SharedRegistry, broker: Broker) -> None:
        self._registry = registry
        self._broker = broker
        self._topics = broker.topics
        self._again: Timer | None = None
        self._stopped = False
        self._deleting = False
        registry.watch(TOPICS, self._look)
        registry.watch(DELETIONS, self._look)

    def stop(self) -> None:
        """Carry out nothing more."""
        self._stopped = True
        if self._again is not None:
            self._again.cancel()

    def _look(self) -> None:
        if self._stopped:
            return
        if self._again is not None:
            self._again.cancel()
            self._again = None
        try:
            marked = self._registry.children(DELETIONS)
            if not self._deleting:
                self._delete(marked)
            for name in self._registry.children(TOPICS):
                if self._topics.get(name) is None and name not in marked:
                    self._take_up(name)
        except StorageError as error:
            log.warning("changes in ZooKeeper not carried out", extra={"error": error})
            self._again = self._broker.timers.after(_AGAIN_SECONDS, self._look)

    def _delete(self, names: Sequence[str]) -> None:
        """Delete topics; where they have many partitions it is only begun."""
        self._topics.deletions.end(*(name for name in names if self._topics.get(name) is None))
        topics = [topic for name in names if (topic := self._topics.get(name)) is not None]
        if topics and self._broker.config.delete_topic_enable:
            failed: dict[str, KafkaError] = {}
            steps = self._topics.deletions.in_steps(topics, failed, AT_ONCE)
            self._deleting = True
            self._broker.stepping.run(self._deleted(steps, failed))
            return
        for topic in topics:
            log.warning("topics are not deleted (delete.topic.enable)", extra={"topic": topic.name})
            self._registry.delete(f"{DELETIONS}/{topic.name}")

    def _deleted(self, steps: Iterator[None], failed: Mapping[str, KafkaError]) -> Steps[None]:
        yield from steps
        self._done(failed)

    def _done(self, failed: Mapping[str, KafkaError]) -> None:
        """Look for what was asked meanwhile; after a while, where something is to be tried again."""
        self._deleting = False
        self._broker.replicas.write()  # what groups forget with them
        for name, error in failed.items():
            log.warning("topic not deleted", extra={"topic": name, "error": error})
        if not failed:
            self._broker.timers.soon(self._look)
        elif self._again is None and not self._stopped:
            self._again = self._broker.timers.after(_AGAIN_SECONDS, self._look)

    def _take_up(self, name: str) -> None:
        try:
            take_up(self._topics, name)
        except BrokerError as error:
            log.warning("topic in ZooKeeper is not served", extra={"topic": name, "error": error})
