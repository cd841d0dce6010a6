"""WrittenRequests: what old tools ask for by writing into ZooKeeper: topics to make and to delete.

kafka-topics of 0.8 to 2.8 with --zookeeper writes a topic's node itself, or its name below
/admin/delete_topics, and leaves the rest to the controller. Source: Kafka's AdminUtils, KafkaController.
"""

import logging

from barnabas.broker.broker import Broker
from barnabas.broker.topic_znodes import DELETIONS, TOPICS
from barnabas.errors import BrokerError, StorageError
from barnabas.ports import SharedRegistry, Timer

log = logging.getLogger(__name__)

_AGAIN_SECONDS = 2.0


class WrittenRequests:
    """Carried out when ZooKeeper tells of them. What cannot be read is told and left alone."""

    def __init__(self, registry: SharedRegistry, broker: Broker) -> None:
        self._registry = registry
        self._broker = broker
        self._topics = broker.topics
        self._again: Timer | None = None
        self._stopped = False
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
            for name in self._registry.children(DELETIONS):
                self._delete(name)
            for name in self._registry.children(TOPICS):
                if self._topics.get(name) is None:
                    self._take_up(name)
        except StorageError as error:
            log.warning("changes in ZooKeeper not carried out", extra={"error": error})
            self._again = self._broker.timers.after(_AGAIN_SECONDS, self._look)

    def _delete(self, name: str) -> None:
        if self._topics.get(name) is None:
            self._topics.end_deletion(name)
        elif self._broker.config.delete_topic_enable:
            self._topics.delete(name)
        else:
            log.warning("topics are not deleted (delete.topic.enable)", extra={"topic": name})
            self._registry.delete(f"{DELETIONS}/{name}")

    def _take_up(self, name: str) -> None:
        try:
            self._topics.take_up(name)
        except BrokerError as error:
            log.warning("topic in ZooKeeper is not served", extra={"topic": name, "error": error})
