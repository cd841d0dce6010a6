"""A partition as responses describe it: its leader and replicas, which is this broker or nobody."""

from typing import NamedTuple

from barnabas.broker.broker import Broker
from barnabas.errors import ErrorCode


class DescribedPartition(NamedTuple):
    """One partition. Without a leader `leader` and `epoch` are -1."""

    number: int
    error: ErrorCode
    leader: int
    epoch: int
    replicas: list[int]
    in_sync: list[int]
    offline: list[int]


def view(broker: Broker, topic: str, index: int) -> DescribedPartition:
    """A partition as it is now; one whose log cannot be used has no leader."""
    node_id = broker.config.node_id
    partition = broker.replicas.find(topic, index)
    if partition is None or partition.log.failure is not None:
        error = ErrorCode.LEADER_NOT_AVAILABLE
        return DescribedPartition(index, error, -1, -1, [node_id], [], [node_id])
    epoch = partition.leader_epoch
    return DescribedPartition(index, ErrorCode.NONE, node_id, epoch, [node_id], [node_id], [])
