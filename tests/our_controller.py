"""Our controller over running brokers: `cluster.controller` with ZooKeeper's nodes and sockets round it.

It speaks the versions of inter.broker.protocol.version=2.6, where leaders write their ISR to ZooKeeper and
ask the controller for nothing. It polls instead of watching: a test asks it to look.
"""

import json
import socket
import struct
import time

from barnabas.cluster.controller import step
from barnabas.cluster.events import (
    BrokersChanged,
    ControllerEvent,
    IsrWritten,
    PartitionsAdded,
    ReplicasDeleted,
)
from barnabas.cluster.image import (
    NO_LEADER,
    Broker,
    BrokerEndpoint,
    ClusterImage,
    ImageDelta,
    PartitionState,
    Topic,
    TopicDelta,
)
from barnabas.cluster.requests import BrokerRequest
from barnabas.cluster.view import Decision, View
from barnabas.cluster.znodes import (
    decode_state,
    encode_topic,
    state_path,
    topic_path,
)
from barnabas.errors import ErrorCode, RegistryConflict
from barnabas.ports import SharedRegistry
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.headers import RequestHeader, decode_response, encode_request
from barnabas.protocol.leader_and_isr import LeaderAndIsrRequest, LeaderAndIsrResponse
from barnabas.protocol.stop_replica import StopReplicaRequest, StopReplicaResponse
from barnabas.protocol.update_metadata import UpdateMetadataRequest, UpdateMetadataResponse
from barnabas.types import ANY_VERSION, MUST_BE_NEW, NodeId, NodeWrite, TopicPartition

SECONDS = 60.0
VERSIONS = {
    LeaderAndIsrRequest: (ApiKey.LEADER_AND_ISR, 4),
    UpdateMetadataRequest: (ApiKey.UPDATE_METADATA, 6),
    StopReplicaRequest: (ApiKey.STOP_REPLICA, 3),
}


class OurController:
    """Broker 9, which is no broker: it holds /controller as long as its session lives."""

    def __init__(self, registry: SharedRegistry, epoch: int = 1) -> None:
        self.registry = registry
        node = {"version": 1, "brokerid": 9, "timestamp": "1"}
        registry.create_ephemeral("/controller", json.dumps(node).encode())
        registry.create("/controller_epoch", str(epoch).encode())
        self.view = View(ClusterImage(controller=NodeId(9), controller_epoch=epoch))
        self.errors: list[object] = []
        """What brokers answered that is not success."""

    def close(self) -> None:
        self.registry.close()

    def create(self, topic: str, replicas: dict[int, tuple[NodeId, ...]]) -> None:
        """Write a topic's node, as a tool would, and take it up."""
        states = {n: PartitionState(NO_LEADER, -1, (), one) for n, one in replicas.items()}
        data = encode_topic(Topic(topic, partitions=states))
        self.registry.create(topic_path(topic), data)
        self.take(PartitionsAdded(topic, bytes(16), replicas))

    def wait_for_brokers(self, *node_ids: int) -> None:
        """Until just these are registered; then it has acted on that."""
        deadline = time.monotonic() + SECONDS
        while True:
            brokers = self._registered()
            if brokers.keys() == set(node_ids) and brokers != self.view.image.brokers:
                break
            assert time.monotonic() < deadline, list(brokers)
            time.sleep(0.1)
        self.take(BrokersChanged(brokers))

    def wait_for_isr(self, partition: TopicPartition, *isr: int) -> PartitionState:
        """Until the leader has written that these are in sync."""
        deadline = time.monotonic() + SECONDS
        while True:
            self._read_states()
            state = self.view.image.partition(partition)
            assert state is not None
            if set(state.isr) == set(isr):
                return state
            assert time.monotonic() < deadline, (state, self.errors)
            time.sleep(0.1)

    def notice(self, partition: TopicPartition) -> None:
        """Read what the leader has written, and act on it."""
        self.take(IsrWritten((partition,)))

    def take(self, event: ControllerEvent) -> Decision:
        """Decide on what the nodes say, write, then send."""
        while True:
            self._read_states()
            decision = step(self.view, event)
            try:
                for write in decision.writes:
                    self._write(write)
            except RegistryConflict:
                continue  # A leader was quicker.
            break
        self.view = decision.after
        for request in decision.requests:
            self._send(request)
        return decision

    def _registered(self) -> dict[NodeId, Broker]:
        found = {}
        for name in self.registry.children("/brokers/ids"):
            path = f"/brokers/ids/{name}"
            there, epoch = self.registry.get(path), self.registry.created_at(path)
            if there is None:
                continue
            node = json.loads(there[0])
            endpoint = BrokerEndpoint("PLAINTEXT", node["host"], node["port"])
            found[NodeId(int(name))] = Broker(
                NodeId(int(name)), (endpoint,), node.get("rack"), epoch
            )
        return found

    def _read_states(self) -> None:
        """What leaders have written meanwhile."""
        image = self.view.image
        for partition, known in list(image.partitions()):
            there = self.registry.get(state_path(partition))
            if there is None:
                continue
            rows = {partition.partition: decode_state(*there, known)}
            image = image.apply(ImageDelta(topics={partition.topic: TopicDelta(partitions=rows)}))
        self.view = View(image, self.view.shutting_down, self.view.deletions)

    def _write(self, write: NodeWrite) -> None:
        if write.data is None:
            self.registry.delete(write.path)
        elif write.version == MUST_BE_NEW:
            self.registry.create(write.path, write.data)
        else:
            version = -1 if write.version == ANY_VERSION else write.version
            self.registry.set(write.path, write.data, version)

    def _send(self, request: BrokerRequest) -> None:
        """Send, and take the response; a broker that was just killed sends none."""
        key, version = VERSIONS[type(request.message)]
        endpoint = self.view.image.brokers[request.node_id].endpoints[0]
        frame = encode_request(RequestHeader(key, version, 1, "ours"), request.message).joined()
        try:
            with socket.create_connection((endpoint.host, endpoint.port), SECONDS) as connection:
                connection.sendall(frame)
                (size,) = struct.unpack(">i", _exactly(connection, 4))
                _, response = decode_response(key, version, _exactly(connection, size))
        except ConnectionError as error:
            self.errors.append(error)
            return
        self._answered(request, response)

    def _answered(self, request: BrokerRequest, response: object) -> None:
        assert isinstance(
            response, LeaderAndIsrResponse | UpdateMetadataResponse | StopReplicaResponse
        )
        rows = [] if isinstance(response, UpdateMetadataResponse) else response.partition_errors
        if response.error_code or any(row.error_code for row in rows):
            self.errors.append((request, response))
        if isinstance(request.message, StopReplicaRequest) and request.message.delete_partitions:
            errors = {
                TopicPartition(row.topic_name, row.partition_index): ErrorCode.of(row.error_code)
                for row in rows
            }
            self.take(ReplicasDeleted(request.node_id, errors))


def _exactly(connection: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        piece = connection.recv(size - len(data))
        if not piece:
            raise ConnectionResetError
        data += piece
    return data
