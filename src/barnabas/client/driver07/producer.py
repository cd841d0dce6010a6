"""Producer: messages to topics of Kafka 0.7. Brokers never respond, so refusals are unknown."""

import logging
from collections.abc import Mapping

from barnabas.client.closing import Closing
from barnabas.client.driver07.node_names import check_topic
from barnabas.client.driver07.outbox import SendQueue
from barnabas.client.driver07.partitioners import Partitioner, by_java_hash
from barnabas.client.driver07.routing import ListedRouting, Routing, WatchedRouting
from barnabas.client.driver07.sender import MessageSender, MessagesToSend
from barnabas.client.driver07.zookeeper import open_zookeeper
from barnabas.config.driver07 import ProducerConfig07
from barnabas.errors import ConfigError, LocalProtocolError
from barnabas.ports import SharedRegistry
from barnabas.runtime.entropy import SystemEntropy

log = logging.getLogger(__name__)


class Producer(Closing):
    """Finds brokers and partitions in ZooKeeper (`zk.connect`), or uses those of `broker.list`.

    With `producer.type=sync`, a call returns when its messages were sent; use it from one thread.
    With `async`, it returns at once, from any thread, and a background thread sends collected
    messages.
    """

    def __init__(
        self,
        config: Mapping[str, object],
        *,
        partitioner: Partitioner = by_java_hash,
        registry: SharedRegistry | None = None,
    ) -> None:
        """`partitioner` chooses by a message's key; without a key the choice is random.

        `registry` replaces `zk.connect`.

        Raises:
            ConfigError: a property is invalid.
            RegistryUnavailable: ZooKeeper does not respond.
        """
        loaded = ProducerConfig07.load(config)
        self._sender = MessageSender(
            _routing(loaded, registry), loaded, partitioner, SystemEntropy()
        )
        self._outbox = SendQueue(self._sender, loaded) if loaded.producer_type == "async" else None
        self._closed = False

    def send(self, topic: str, *payloads: bytes, key: object = None) -> None:
        """Send messages, all to one partition.

        Raises:
            LocalProtocolError: a message exceeds `max.message.size`, the topic's name is invalid, or
                the queue of an async producer is full.
            ConnectionFailed, RequestTimeout: no broker accepts it (sync).
            RegistryUnavailable: the brokers' addresses are unknown (sync).
        """
        if self._closed:
            raise LocalProtocolError("the producer is closed")
        check_topic(topic)
        self._sender.check(payloads)
        if not payloads:
            return
        if self._outbox is not None:
            self._outbox.put(MessagesToSend(topic, key, payloads))
        else:
            self._sender.send([MessagesToSend(topic, key, payloads)])

    def flush(self, timeout_s: float | None = None) -> bool:
        """Wait until everything sent before is out or was dropped; return whether it is."""
        return self._outbox is None or self._outbox.flush(timeout_s)

    @property
    def given_up(self) -> int:
        """The number of messages that an async producer could not send; the log says why."""
        return 0 if self._outbox is None else self._outbox.given_up

    def close(self) -> None:
        """Send what waits, then close everything; a second call does nothing."""
        if not self._closed:
            self._closed = True
            if self._outbox is not None:
                self._outbox.close()
            self._sender.close()


def _routing(config: ProducerConfig07, registry: SharedRegistry | None) -> Routing:
    if config.broker_list:
        if config.zk_connect or registry is not None:
            raise ConfigError("broker.list and zk.connect exclude each other")
        return ListedRouting(config.broker_list)
    return WatchedRouting(registry or open_zookeeper(config, lambda call: call()))
