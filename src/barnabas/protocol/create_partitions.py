"""CreatePartitions (key 37): add partitions to topics (KIP-195).

Versions: 2 flexible · 3 throttling error (KIP-599)
"""

from __future__ import annotations

from barnabas.wire.schema import (
    Array,
    Bool,
    Int16,
    Int32,
    String,
    message,
    on,
    struct,
)


@message(key=37, versions="0-3", flexible="2+")
class CreatePartitionsRequest:
    """Bring topics to more partitions, or only say whether one could."""

    topics: Array[CreatePartitionsTopic]
    timeout_ms: Int32
    validate_only: Bool


@struct
class CreatePartitionsTopic:
    """One topic; `count` is the new total.

    Assignments, if any, are for the new partitions in order.
    """

    name: String
    count: Int32
    assignments: Array[CreatePartitionsAssignment] | None


@struct
class CreatePartitionsAssignment:
    """The brokers of one new partition, the preferred leader first."""

    broker_ids: Array[Int32]


@message(key=37, versions="0-3", flexible="2+")
class CreatePartitionsResponse:
    """What became of each topic."""

    throttle_time_ms: Int32 = on(default=0)
    results: Array[CreatePartitionsTopicResult]


@struct
class CreatePartitionsTopicResult:
    """One topic."""

    name: String
    error_code: Int16
    error_message: String | None = on(default=None)
