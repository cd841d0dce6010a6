"""Registration: registers a broker in ZooKeeper as Kafka 0.8 and later do, with the partitions it leads."""

from collections.abc import Sequence

from barnabas.broker.broker import Broker
from barnabas.broker.znodes.broker_znodes import (
    BROKERS,
    CONTROLLER,
    CONTROLLER_EPOCH,
    encode_broker,
    encode_controller,
    encode_state,
    next_epoch,
)
from barnabas.broker.znodes.topic_znodes import TOPICS
from barnabas.broker.zookeeper.admin_requests import ZooKeeperAdminRequests
from barnabas.broker.zookeeper.node_claim import claim_node
from barnabas.broker.zookeeper.published_nodes import PublishedNodes
from barnabas.errors import StorageError
from barnabas.ports import Disk, SharedRegistry
from barnabas.types import Topic

_LONGER = 1.5


class Registration:
    """What old clients and tools read, kept as the broker's topics are. `start` comes first."""

    written_to = "barnabas.registered"

    def __init__(self, registry: SharedRegistry, broker: Broker) -> None:
        self._registry = registry
        self._held = PublishedNodes(registry, broker.timers)
        self._broker = broker
        self._node_id = broker.config.node_id
        self._requests: ZooKeeperAdminRequests | None = None

    def start(self, disk: Disk, file: str) -> None:
        """Register the broker and what it leads; `file` is for `claim_node`.

        Raises:
            StorageError: it cannot be, because of another broker or of ZooKeeper.
        """
        broker, now_ms = self._broker, self._broker.clock.time_ms()
        path = f"{BROKERS}/{self._node_id}"
        data = encode_broker(broker.config.release, broker.advertised, now_ms)
        claim_node(self._registry, path, data, disk, file)
        self._refuse_others()
        self._held.hold(path, data)
        self._take_control(now_ms)
        broker.topics.on_change.append(self._show)
        broker.topics.deletions.on_deleted.append(self._hide)
        for topic in broker.topics:
            self._show(topic)
        self._held.write()
        self._requests = ZooKeeperAdminRequests(self._registry, broker)

    def stop(self) -> None:
        """Write nothing more, and carry out nothing."""
        self._held.stop()
        if self._requests is not None:
            self._requests.stop()

    def _refuse_others(self) -> None:
        """A topic's partitions are all led by one broker, so there must be one."""
        seconds = self._registry.session_seconds * _LONGER
        for other in self._registry.children(BROKERS):
            path = f"{BROKERS}/{other}"
            if other != str(self._node_id) and not self._registry.wait_until_gone(path, seconds):
                raise StorageError(
                    f"broker {other} is registered in the same ZooKeeper: brokers cannot share topics "
                    "yet, so give each a path of its own in zookeeper.connect"
                )

    def _take_control(self, now_ms: int) -> None:
        before = self._registry.get(CONTROLLER_EPOCH)
        epoch = next_epoch(before[0]) if before else 1
        self._registry.set(CONTROLLER_EPOCH, str(epoch).encode())
        self._registry.delete(CONTROLLER)  # No other broker is there, so it is of one that was.
        self._held.hold(CONTROLLER, encode_controller(self._node_id, now_ms))

    def _show(self, topic: Topic) -> None:
        for index in topic.partitions:
            partition = self._broker.replicas.find(topic.name, index)
            if partition is not None:
                data = encode_state(self._node_id, partition.leader_epoch)
                self._held.hold(_state(topic, index), data, ephemeral=False)

    def _hide(self, topics: Sequence[Topic]) -> None:
        for topic in topics:
            self._held.forget(_state(topic, index) for index in topic.partitions)


def _state(topic: Topic, index: int) -> str:
    return f"{TOPICS}/{topic.name}/partitions/{index}/state"
