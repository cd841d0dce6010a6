"""ReadReplica: which replica a consumer reads from, so that it need not cross racks.

Source: KIP-392; Kafka's RackAwareReplicaSelector and ReplicaManager.findPreferredReadReplica.
"""

from collections.abc import Mapping

from barnabas.replication.leader import Leader
from barnabas.types import NodeId


def read_replica(leader: Leader, racks: Mapping[NodeId, str], rack: str, offset: int) -> NodeId:
    """The replica from which a consumer in `rack` reads `offset`; the leader where none is better.

    Only replicas in sync that have the offset count, the furthest of them first, then the one that
    was caught up last, then the one with the highest id. `racks` has the brokers that are alive.
    """
    if not rack or racks.get(leader.node_id) == rack:
        return leader.node_id
    best: tuple[int, int, NodeId] | None = None
    for node_id in leader.isr - {leader.node_id}:
        progress = leader.progress(node_id)
        if progress is None or racks.get(node_id) != rack:
            continue
        if progress.log_start <= offset <= progress.log_end:
            found = (progress.log_end, progress.caught_up_ms, node_id)
            best = found if best is None else max(best, found)
    return best[2] if best else leader.node_id
