"""Znodes: where a controller keeps partitions in ZooKeeper, and in what words.

Source: Kafka's ZkData (TopicPartitionStateZNode version 1, TopicZNode version 3); KIP-455, KIP-516, KIP-704.
"""

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from barnabas.cluster.image import PartitionState, Topic
from barnabas.errors import StorageError
from barnabas.types import NodeId, TopicPartition
from barnabas.wire.schema import NO_UUID

MUST_BE_NEW = -2
"""Instead of the version of a node: it must not be there."""

ANY_VERSION = -1


@dataclass(frozen=True, slots=True)
class ZnodeWrite:
    """A node to be written if it has this version; `data` None: it is to be deleted, with all below."""

    path: str
    data: bytes | None
    version: int


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
            leader=NodeId(int(node["leader"])),
            leader_epoch=int(node["leader_epoch"]),
            isr=tuple(NodeId(int(one)) for one in node["isr"]),
            controller_epoch=int(node["controller_epoch"]),
            partition_epoch=version,
            recovering=bool(node.get("leader_recovery_state", 0)),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
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


def _dump(fields: Mapping[str, object]) -> bytes:
    return json.dumps(fields, separators=(",", ":")).encode()
