"""What a follower reads of a partition: all written records, committed or not.

Its fetch says how far it is: the leader counts that before it answers.
"""

from typing import NamedTuple

from barnabas.broker.replicas.fetch_rows import Fetched, Read, failed
from barnabas.broker.replicas.leader_role import LeaderRole
from barnabas.broker.replicas.partition import Partition
from barnabas.broker.replicas.reading import partition_data
from barnabas.errors import ErrorCode, StorageError
from barnabas.log.partition.last_stable_offset import stable_end
from barnabas.ports import Clock
from barnabas.protocol.fetch import EpochEndOffset
from barnabas.replication.divergence import EpochEnd
from barnabas.replication.events import FollowerFetched
from barnabas.replication.throttle import ReplicationThrottle
from barnabas.types import NodeId


class FetchingReplica(NamedTuple):
    """The broker that fetches, and its epoch; -1 before Fetch 15 (KIP-903)."""

    node_id: NodeId
    broker_epoch: int = -1
    throttle: ReplicationThrottle | None = None
    """That of the leaders of this broker."""
    has_asked: bool = False
    """Its fetch has waited: how far it is was counted when it came."""


def read_for_replica(
    partition: Partition,
    read: Read,
    max_bytes: int,
    replica: FetchingReplica,
    clock: Clock,
    *,
    min_one: bool,
) -> Fetched:
    """As `read_records`, up to the end of the log; refused where this broker does not lead."""
    topic, topic_id, asked = read
    role, log = partition.role, partition.log
    if log.failure is not None:
        return failed(read, ErrorCode.KAFKA_STORAGE_ERROR)
    if not isinstance(role, LeaderRole):
        return failed(read, ErrorCode.NOT_LEADER_OR_FOLLOWER)
    epochs = asked.current_leader_epoch, asked.last_fetched_epoch
    if replica.has_asked:
        found = role.leader.examine(asked.fetch_offset, *epochs)
    else:
        effects = role.step(
            FollowerFetched(
                replica.node_id,
                asked.fetch_offset,
                int(clock.monotonic() * 1000),
                asked.log_start_offset,
                *epochs,
                replica.broker_epoch,
            )
        )
        found = effects.error or effects.diverging
    if isinstance(found, ErrorCode) and found:
        return failed(read, found)
    if isinstance(found, EpochEnd):
        data = partition_data(partition, None, stable_end(log))
        epoch, end = found
        data.diverging_epoch = EpochEndOffset(epoch=epoch, end_offset=end)
        return Fetched(topic, topic_id, data)
    records = None
    if replica.throttle is not None and replica.throttle.must_wait(
        log.topic_partition,
        int(clock.monotonic() * 1000),
        is_in_sync=replica.node_id in role.leader.isr,
    ):
        max_bytes, min_one = 0, False
    if max_bytes > 0 or min_one:
        try:
            end = log.written_end
            records = log.read(asked.fetch_offset, max_bytes, max_offset=end, min_one=min_one)[0]
        except StorageError as error:
            return failed(read, error.code)
    return Fetched(topic, topic_id, partition_data(partition, records, stable_end(log)))
