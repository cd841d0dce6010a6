"""Znodes: the paths and contents of the nodes that a controller reads and writes.

Source: Kafka's ZkData (TopicPartitionStateZNode version 1, TopicZNode versions 1 to 3, BrokerIdZNode
versions 1 to 5, ReassignPartitionsZNode); KIP-455, KIP-516, KIP-704.
"""

import base64
import json
from collections.abc import Iterable, Mapping
from dataclasses import replace

from barnabas.cluster.image import NO_LEADER, Broker, BrokerEndpoint, PartitionState, Topic
from barnabas.errors import StorageError
from barnabas.types import NodeId, TopicPartition
from barnabas.wire.schema import NO_UUID

_UNREADABLE = ValueError, KeyError, TypeError, AttributeError, RecursionError
_MOST = (1 << 31) - 1
"""Of numbers of brokers, partitions and epochs: what is larger fits no request."""
_MOST_PORT = (1 << 16) - 1
_MOST_BYTES = (1 << 15) - 1
"""Of a string in a request."""
_TOPIC_ID_BYTES = 16
_PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
"""Kafka's security protocols, by their numbers."""


def state_path(partition: TopicPartition) -> str:
    """The node with leader and ISR of a partition."""
    return f"{topic_path(partition.topic)}/partitions/{partition.partition}/state"


def topic_path(topic: str) -> str:
    """The node with the replicas of a topic."""
    return f"/brokers/topics/{topic}"


def deletion_paths(topic: str) -> tuple[str, ...]:
    """All nodes of a topic, the request to delete it last: after a kill it is found again."""
    return topic_path(topic), f"/config/topics/{topic}", f"/admin/delete_topics/{topic}"


def encode_state(state: PartitionState) -> bytes:
    """The data of a state's node; the partition epoch is the node's version."""
    fields: dict[str, object] = {
        "controller_epoch": state.controller_epoch,
        "leader": state.leader,
        "version": 1,
        "leader_epoch": state.leader_epoch,
        "isr": state.isr,
    }
    if state.recovering:
        fields["leader_recovery_state"] = 1
    return _dump(fields)


def decode_state(data: bytes, version: int, assigned: PartitionState) -> PartitionState:
    """The state in a node of this version; replicas are those of `assigned`.

    Raises:
        StorageError: the node cannot be read.
    """
    try:
        node = json.loads(data)
        return replace(
            assigned,
            leader=NodeId(_number(node["leader"], NO_LEADER)),
            leader_epoch=_number(node["leader_epoch"]),
            isr=_nodes(node["isr"]),
            controller_epoch=_number(node["controller_epoch"]),
            partition_epoch=version,
            recovering=bool(node.get("leader_recovery_state", 0)),
        )
    except _UNREADABLE as error:
        raise StorageError(
            f"a partition's state in the registry should have leader, leader_epoch, isr and "
            f"controller_epoch, and is {data[:200]!r}: {error!r}"
        ) from error


def encode_topic(topic: Topic) -> bytes:
    """The data of a topic's node: version 3, or 2 where the topic has no id."""
    topic_id = base64.urlsafe_b64encode(topic.topic_id).rstrip(b"=").decode("ascii")
    has_id = topic.topic_id != NO_UUID
    rows = topic.partitions.items()
    fields: dict[str, object] = {
        "version": 3 if has_id else 2,
        "partitions": {str(number): state.replicas for number, state in rows},
        "adding_replicas": {str(number): state.adding for number, state in rows if state.adding},
        "removing_replicas": {
            str(number): state.removing for number, state in rows if state.removing
        },
    }
    if has_id:
        fields["topic_id"] = topic_id
    return _dump(fields)


def partition_of(path: str) -> TopicPartition | None:
    """The partition whose state is in a node; None: no such node."""
    names = path.split("/")
    if len(names) != 7 or names[1:3] != ["brokers", "topics"] or names[6] != "state":
        return None
    return TopicPartition(names[3], int(names[5]))


def decode_topic(name: str, data: bytes) -> Topic:
    """A topic from its node; none of its partitions has a leader.

    Raises:
        StorageError: the node cannot be read.
    """
    try:
        node = json.loads(data)
        text = node.get("topic_id")
        topic_id = base64.urlsafe_b64decode(f"{text}==") if text else NO_UUID
        if len(topic_id) != _TOPIC_ID_BYTES:
            raise ValueError(f"the id has {len(topic_id)} bytes")
        adding, removing = node.get("adding_replicas", {}), node.get("removing_replicas", {})
        states = {
            _number(number): PartitionState(
                NO_LEADER,
                -1,
                (),
                _replicas(replicas),
                -1,
                adding=_nodes(adding.get(number, ())),
                removing=_nodes(removing.get(number, ())),
            )
            for number, replicas in node["partitions"].items()
        }
        return Topic(name, topic_id, states)
    except _UNREADABLE as error:
        raise StorageError(
            f"the node of topic {name} in the registry should have partitions with their replicas, "
            f"and is {data[:200]!r}: {error!r}"
        ) from error


def decode_broker(node_id: NodeId, data: bytes, epoch: int) -> Broker:
    """A broker from its node; its epoch is the node's czxid.

    Raises:
        StorageError: the node cannot be read.
    """
    try:
        node = json.loads(data)
        protocols, rack = node.get("listener_security_protocol_map", {}), node.get("rack")
        endpoints = [
            _endpoint(text, protocols)
            for text in node.get("endpoints") or [f"PLAINTEXT://{node['host']}:{node['port']}"]
        ]
        rack = None if rack is None else _text(rack)
        return Broker(NodeId(_number(node_id)), tuple(endpoints), rack, epoch)
    except _UNREADABLE as error:
        raise StorageError(
            f"the node of broker {node_id} in the registry should have endpoints and a rack, and is "
            f"{data[:200]!r}: {error!r}"
        ) from error


def decode_partitions(data: bytes) -> dict[TopicPartition, tuple[NodeId, ...]]:
    """The partitions that a node names, with their replicas where it has them.

    Raises:
        StorageError: the node cannot be read.
    """
    try:
        return {
            TopicPartition(str(row["topic"]), _number(row["partition"])): _nodes(
                row.get("replicas", ())
            )
            for row in json.loads(data)["partitions"]
        }
    except _UNREADABLE as error:
        raise StorageError(
            f"a node of the registry should name partitions, and is {data[:200]!r}: {error!r}"
        ) from error


def decode_failed_broker(data: bytes) -> tuple[NodeId]:
    """The broker that reports, in a node below /log_dir_event_notification, that a log directory failed.

    Raises:
        StorageError: the node cannot be read.
    """
    try:
        return (NodeId(_number(json.loads(data)["broker"])),)
    except _UNREADABLE as error:
        raise StorageError(
            f"a node of the registry should name a broker, and is {data[:200]!r}: {error!r}"
        ) from error


def _endpoint(text: str, protocols: Mapping[str, str]) -> BrokerEndpoint:
    listener, _, place = text.partition("://")
    host, _, port = place.rpartition(":")
    protocol = protocols.get(listener, listener)
    host = _text(host.strip("[]"))
    return BrokerEndpoint(
        _text(listener), host, _number(port, most=_MOST_PORT), _PROTOCOLS.index(protocol)
    )


def _text(value: object) -> str:
    """A string that fits a request: another one would keep all brokers from hearing of any."""
    if not isinstance(value, str) or len(value.encode()) > _MOST_BYTES:
        raise ValueError("a text is none, or too long")
    return value


def _number(value: object, least: int = 0, most: int = _MOST) -> int:
    found = int(str(value))
    if not least <= found <= most:
        raise ValueError(f"{found} is out of range")
    return found


def _nodes(numbers: Iterable[object]) -> tuple[NodeId, ...]:
    return tuple(NodeId(_number(one)) for one in numbers)


def _replicas(numbers: Iterable[object]) -> tuple[NodeId, ...]:
    """Those of a partition: some, each once."""
    found = _nodes(numbers)
    if not found or len({*found}) < len(found):
        raise ValueError(f"{[*found]} are no replicas of a partition")
    return found


def _dump(fields: Mapping[str, object]) -> bytes:
    return json.dumps(fields, separators=(",", ":")).encode()
