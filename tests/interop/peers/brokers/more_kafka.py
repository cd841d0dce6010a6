"""Further brokers of a cluster of Apache Kafka's whose controller is another node."""

from collections.abc import Mapping

from tests.interop.peers.brokers.real_kafka import RealKafka


class MoreKafka(RealKafka):
    """One more broker, of its own id, beside a node that runs already."""

    _quorum = "--no-initial-controllers"

    def __init__(
        self, first: RealKafka, node_id: int, properties: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(heap="256m", properties=properties)
        self.first = first
        self.node_id = node_id

    def _cluster(self) -> str:
        return self.first.cluster_id

    def _roles(self) -> dict[str, str]:
        listeners = f"PLAINTEXT://127.0.0.1:{self.port}"
        return {
            "process.roles": "broker",
            "node.id": str(self.node_id),
            "controller.quorum.bootstrap.servers": f"127.0.0.1:{self.first.controller_port}",
            "listeners": listeners,
            "advertised.listeners": listeners,
        }
