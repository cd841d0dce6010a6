"""AssignReplicasToDirs (key 73): a broker tells the controller where its replicas are (KIP-858)."""

from __future__ import annotations

from barnabas.wire.schema import Array, Int16, Int32, Int64, Uuid, message, on, struct


@message(key=73, versions="0", flexible="0+")
class AssignReplicasToDirsRequest:
    """Replicas by log directory."""

    broker_id: Int32
    broker_epoch: Int64 = on(default=-1)
    directories: Array[AssignedDirectory]


@struct
class AssignedDirectory:
    """Replicas in one directory."""

    id: Uuid
    topics: Array[AssignedTopic]


@struct
class AssignedTopic:
    """Partitions of one topic."""

    topic_id: Uuid
    partitions: Array[AssignedPartition]


@struct
class AssignedPartition:
    """One partition."""

    partition_index: Int32


@message(key=73, versions="0", flexible="0+")
class AssignReplicasToDirsResponse:
    """What became of each."""

    throttle_time_ms: Int32 = on(default=0)
    error_code: Int16
    directories: Array[AssignedDirectoryResult]


@struct
class AssignedDirectoryResult:
    """Replicas in one directory."""

    id: Uuid
    topics: Array[AssignedTopicResult]


@struct
class AssignedTopicResult:
    """Partitions of one topic."""

    topic_id: Uuid
    partitions: Array[AssignedPartitionResult]


@struct
class AssignedPartitionResult:
    """One partition."""

    partition_index: Int32
    error_code: Int16
