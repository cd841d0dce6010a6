"""MemberRegistration: registers a cluster member in ZooKeeper; the controller is elsewhere."""

from barnabas.broker.broker import Broker
from barnabas.broker.cluster.member import ClusterMember
from barnabas.broker.purgatory.registry_calls import ask
from barnabas.broker.purgatory.stepping import Steps
from barnabas.broker.znodes.broker_znodes import BROKERS, encode_broker
from barnabas.broker.zookeeper.node_claim import claim_node
from barnabas.broker.zookeeper.published_nodes import PublishedNodes
from barnabas.ports import Disk, SharedRegistry

_AGAIN_SECONDS = 1.0
_LASTING_PATHS = (
    *("/consumers", "/brokers/ids", "/brokers/topics", "/brokers/seqid", "/admin/delete_topics"),
    *("/config/changes", "/isr_change_notification", "/log_dir_event_notification"),
    *(f"/config/{kind}" for kind in ("topics", "clients", "users", "brokers", "ips")),
)
"""What is there in each ZooKeeper of Kafka's: tools make nodes below them. Source: ZkData.PersistentZkPaths."""


class MemberRegistration:
    """`/brokers/ids/N`, from which the controller learns of the broker. `start` comes first.

    All other nodes are the controller's, but for the ISRs of partitions that this broker leads.
    """

    written_to = "barnabas.registered"

    def __init__(self, registry: SharedRegistry, broker: Broker, member: ClusterMember) -> None:
        self._registry = registry
        self._broker = broker
        self._member = member
        self._path = f"{BROKERS}/{broker.config.node_id}"
        self._held = PublishedNodes(registry, broker.timers)
        self._stopped = False

    def start(self, disk: Disk, file: str) -> None:
        """Register the broker; `file` is for `claim_node`.

        Raises:
            StorageError: it cannot be, because of another broker or of ZooKeeper.
        """
        broker = self._broker
        protocol = broker.config.inter_broker_protocol_version.partition("-")[0]
        rack = broker.config.broker_rack
        data = encode_broker(protocol, broker.advertised, broker.clock.time_ms(), rack)
        # First: the session may end at any step, and the node with it.
        self._registry.on_new_session(self._read_epoch_later)
        self._registry.create_all(dict.fromkeys(_LASTING_PATHS, b""))
        claim_node(self._registry, self._path, data, disk, file)
        self._held.hold(self._path, data)
        self._member.broker_epoch = self._registry.created_at(self._path)
        self._take_config_changes()
        self._held.write()
        self._member.controller.start()

    def _take_config_changes(self) -> None:
        broker, registry, changes = self._broker, self._registry, self._member.config_changes

        def of_brokers(_name: str) -> Steps[None]:
            broker.settings.load_again(
                (yield ask(registry, lambda: broker.settings.read(registry)))
            )

        def of_clients(_name: str) -> Steps[None]:
            broker.quotas.adopt((yield ask(registry, broker.quotas.read)))

        def of_resources(_name: str) -> Steps[None]:
            broker.client_resources.adopt((yield ask(registry, broker.client_resources.read)))

        changes.on_change("brokers", of_brokers)
        for kind in ("users", "clients", "ips"):
            changes.on_change(kind, of_clients)
        for kind in ("groups", "client-metrics"):
            changes.on_change(kind, of_resources)
        changes.begin()

    def stop(self) -> None:
        """Write nothing more."""
        self._stopped = True
        self._held.stop()

    def _read_epoch_later(self) -> None:
        """In a new session the node is made again, and with it the broker has another epoch."""
        self._broker.timers.after(_AGAIN_SECONDS, self._try_to_read_epoch)

    def _try_to_read_epoch(self) -> None:
        registry, path = self._registry, self._path

        def read() -> int:
            return registry.created_at(path) if registry.is_mine(path) else -1

        def done(epoch: int | Exception) -> None:
            if isinstance(epoch, Exception) or epoch < 0:
                # Not there yet, or the session is gone again: the next one comes here, too.
                self._read_epoch_later()
            else:
                self._member.broker_epoch = epoch

        if not self._stopped:
            registry.later(read, done)
