"""The replica that a consumer should read from, so that it need not cross racks (KIP-392).

Source: KIP-392; `replica.selector.class`.
"""

from collections.abc import Mapping
from typing import NamedTuple

from barnabas.broker.replicas.fetch_rows import Fetched, Read, failed
from barnabas.broker.replicas.leader_role import LeaderRole
from barnabas.broker.replicas.partition import Partition
from barnabas.broker.replicas.reading import partition_data, read_records
from barnabas.log.partition.last_stable_offset import stable_end
from barnabas.replication.read_replica import read_replica
from barnabas.types import NodeId


class RackConsumer(NamedTuple):
    """A consumer that says its rack; `racks` has those of the brokers that are alive."""

    rack: str
    racks: Mapping[NodeId, str]
    committed_only: bool


def read_nearest(
    partition: Partition,
    read: Read,
    max_bytes: int,
    consumer: RackConsumer,
    *,
    min_one: bool,
) -> Fetched:
    """As `read_records` from any replica; a leader names a follower in the consumer's rack instead."""
    role, asked = partition.role, read.asked
    if isinstance(role, LeaderRole):
        best = read_replica(role.leader, consumer.racks, consumer.rack, asked.fetch_offset)
        if best != role.leader.node_id:
            code = partition.check_epoch(asked.current_leader_epoch)
            if code:
                return failed(read, code)
            data = partition_data(partition, None, stable_end(partition.log))
            data.preferred_read_replica = best
            return Fetched(read.topic, read.topic_id, data)
    return read_records(
        partition,
        read,
        max_bytes,
        min_one=min_one,
        committed_only=consumer.committed_only,
        from_follower=True,
    )
