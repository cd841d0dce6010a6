"""AlterReplicaLogDirs (key 34): move replicas between the log directories of one broker (KIP-113).

Versions: 1 answered before the client is throttled (KIP-219) · 2 flexible
"""

from __future__ import annotations

from barnabas.wire.schema import Array, Int16, Int32, String, message, on, struct


@message(key=34, versions="0-2", flexible="2+")
class AlterReplicaLogDirsRequest:
    """Which replicas belong where."""

    dirs: Array[AlterReplicaLogDir]


@struct
class AlterReplicaLogDir:
    """Replicas that belong in one directory."""

    path: String
    topics: Array[AlterReplicaLogDirTopic]


@struct
class AlterReplicaLogDirTopic:
    """Partitions of one topic."""

    name: String
    partitions: Array[Int32]


@message(key=34, versions="0-2", flexible="2+")
class AlterReplicaLogDirsResponse:
    """What became of each; the move itself goes on in the background."""

    throttle_time_ms: Int32 = on(default=0)
    results: Array[AlterReplicaLogDirTopicResult]


@struct
class AlterReplicaLogDirTopicResult:
    """Partitions of one topic."""

    topic_name: String
    partitions: Array[AlterReplicaLogDirPartitionResult]


@struct
class AlterReplicaLogDirPartitionResult:
    """One partition."""

    partition_index: Int32
    error_code: Int16
