"""Registration07: registers a broker in ZooKeeper as Kafka 0.7 does, for its clients.

Source: seed 000 "Kafka Broker"; Kafka 0.7.2's KafkaZooKeeper.
"""

from collections.abc import Sequence

from barnabas.broker.broker import Broker
from barnabas.broker.requests.topics07 import count_of
from barnabas.broker.znodes.broker_znodes import BROKERS
from barnabas.broker.znodes.topic_znodes import TOPICS
from barnabas.broker.zookeeper.node_claim import claim_node
from barnabas.broker.zookeeper.published_nodes import PublishedNodes
from barnabas.config.listeners import KAFKA_07, Endpoint, dialect_of
from barnabas.errors import ConfigError
from barnabas.ports import Disk, SharedRegistry
from barnabas.types import Topic


class Registration07:
    """`/brokers/ids/N` as creator:host:port, and `/brokers/topics/T/N`: how many partitions T has here.

    Each broker has partitions of its own, so several share a ZooKeeper. `start` comes first.
    """

    written_to = "barnabas.registered07"

    def __init__(self, registry: SharedRegistry, broker: Broker) -> None:
        self._registry = registry
        # Clients of 0.7, old and new, watch the names below a topic and not what a node says; Jafka
        # tells of more partitions in this way, too.
        self._broker = broker
        self._node_id = broker.config.node_id
        owner = f"{BROKERS}/{self._node_id}"
        self._held = PublishedNodes(registry, broker.timers, anew=True, owner=owner)

    def start(self, disk: Disk, file: str) -> None:
        """Register the broker and its topics; `file` is for `claim_node`.

        Raises:
            ConfigError: no listener is for such clients.
            StorageError: it cannot be, because of another broker or of ZooKeeper.
        """
        endpoint = _endpoint(self._broker)
        path = f"{BROKERS}/{self._node_id}"
        data = encode_broker(endpoint, self._broker.clock.time_ms())
        claim_node(self._registry, path, data, disk, file)
        self._held.hold(path, data)
        self._broker.topics.on_change.append(self._show)
        self._broker.topics.deletions.on_deleted.append(self._hide)
        for topic in self._broker.topics:
            self._show(topic)
        self._held.write()

    def stop(self) -> None:
        """Write nothing more."""
        self._held.stop()

    def _show(self, topic: Topic) -> None:
        """The number of partitions, written to or not; topics without 0.7's offsets are not published."""
        found = (self._broker.replicas.find(topic.name, index) for index in topic.partitions)
        if any(one is not None and one.log.config.byte_positions for one in found):
            count = count_of(self._broker, topic.name)
            self._held.hold(self._path(topic), str(count).encode())

    def _hide(self, topics: Sequence[Topic]) -> None:
        self._held.release([self._path(topic) for topic in topics])

    def _path(self, topic: Topic) -> str:
        return f"{TOPICS}/{topic.name}/{self._node_id}"


def encode_broker(endpoint: Endpoint, time_ms: int) -> bytes:
    """creator:host:port. The creator is the host and a time; readers split at ":"."""
    return f"{endpoint.host}-{time_ms}:{endpoint.host}:{endpoint.port}".encode()


def _endpoint(broker: Broker) -> Endpoint:
    for name, endpoint in broker.advertised.items():
        if dialect_of(broker.config, name) == KAFKA_07:
            if ":" in endpoint.host:
                raise ConfigError(
                    f"zk.connect: clients of Kafka 0.7 cannot read the address {endpoint.host} of "
                    f"listener {name}; advertise a name or an IPv4 address"
                )
            return endpoint
    raise ConfigError(
        "zk.connect: no listener is for clients of Kafka 0.7; listener.dialect.map says which one is"
    )
