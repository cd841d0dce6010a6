"""Acknowledgement: the response to a produce request, by its acks and the ISR.

Source: seed 002 "RequiredAcks", KIP-966; Kafka's Partition.checkEnoughReplicasReachOffset, and that of
0.8.2 for acks above 1.
"""

from barnabas.errors import ErrorCode
from barnabas.replication.leader import Leader
from barnabas.types import NodeId

ALL = -1
"""Required acks: all replicas in sync."""


def refuse_append(leader: Leader, acks: int) -> ErrorCode:
    """NOT_ENOUGH_REPLICAS where acks=all could not be kept; nothing is appended then."""
    if acks == ALL and len(leader.isr) < leader.min_isr:
        return ErrorCode.NOT_ENOUGH_REPLICAS
    return ErrorCode.NONE


def acknowledgement(leader: Leader, acks: int, end_offset: int) -> ErrorCode | None:
    """The answer to an append that ends at `end_offset`; None: it has to wait.

    With acks=all, NOT_ENOUGH_REPLICAS_AFTER_APPEND where the ISR has become too small meanwhile.
    "For any number > 1 the server will block waiting for this number of acknowledgements to occur (but
    the server will never wait for more acknowledgements than there are in-sync replicas)."
    """
    if acks in {0, 1}:
        return ErrorCode.NONE
    if acks > 1:
        in_sync = leader.isr | {leader.node_id}
        having = sum(_has(leader, node_id, end_offset) for node_id in in_sync)
        return ErrorCode.NONE if having >= min(acks, len(in_sync)) else None
    if leader.high_watermark < end_offset:
        return None
    if len(leader.maximal_isr) < leader.min_isr:
        return ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND
    return ErrorCode.NONE


def _has(leader: Leader, node_id: NodeId, end_offset: int) -> bool:
    if node_id == leader.node_id:
        return leader.end_offset >= end_offset
    progress = leader.progress(node_id)
    return progress is not None and progress.log_end >= end_offset
