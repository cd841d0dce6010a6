"""Bulk requests as every dialect means them, with their outcomes. Neutral, frozen.

Lists keep the order of the request, because some replies are positional. These are named tuples
rather than data classes: they are made per partition on the hot path, where that is three times
faster.
"""

from collections.abc import Sequence
from typing import NamedTuple

from barnabas.errors import ErrorCode
from barnabas.records.aborted_transaction import AbortedTransaction
from barnabas.wire.send import FileSlice, HeldRecords

ANY_PARTITION = -1
"""The partition of an Append that the broker chooses (seed 000, `broker.list` producers)."""


class Append(NamedTuple):
    """Records for one partition; a view that ends with the event. Named by topic or by topic id."""

    topic: str
    topic_id: bytes
    partition: int
    records: memoryview | None


class Produce(NamedTuple):
    """Append record sets. `acks`: 0 no reply, 1 written by the leader, -1 by all in-sync replicas.

    `zstd`: whether this client may send, and so read, batches compressed with it. `message_sets`:
    whether it may send messages of magic 0 and 1.
    """

    acks: int
    timeout_ms: int
    transactional_id: str | None
    zstd: bool
    appends: list[Append]
    message_sets: bool = False


class RecordError(NamedTuple):
    """One record that was refused, by its place in the batch (KIP-467)."""

    batch_index: int
    message: str


class Appended(NamedTuple):
    """What became of one Append. `append_time_ms` is -1 where records keep the producer's time."""

    error: ErrorCode
    base_offset: int = -1
    append_time_ms: int = -1
    log_start_offset: int = -1
    record_errors: Sequence[RecordError] = ()
    message: str | None = None


class Read(NamedTuple):
    """From where to read one partition, and how much of it. -1 is "not told" for the epochs."""

    topic: str
    topic_id: bytes
    partition: int
    offset: int
    max_bytes: int
    leader_epoch: int = -1
    last_fetched_epoch: int = -1


class Forgotten(NamedTuple):
    """A partition to drop from a fetch session."""

    topic: str
    topic_id: bytes
    partition: int


class Fetch(NamedTuple):
    """Read record sets, waiting up to `max_wait_ms` for `min_bytes`.

    `session_id` and `session_epoch` are KIP-227's; epoch -1 is a fetch without a session.
    `committed_only` asks for no more than the last stable offset.
    """

    replica_id: int
    max_wait_ms: int
    min_bytes: int
    max_bytes: int
    committed_only: bool
    session_id: int
    session_epoch: int
    by_topic_id: bool
    reads: list[Read]
    forgotten: list[Forgotten]


class Fetched(NamedTuple):
    """What was read of one partition; `records` is a region of the log's file, or was made of one.

    `aborted`: the aborted transactions in it, where only committed records were asked for.
    """

    topic: str
    topic_id: bytes
    partition: int
    error: ErrorCode
    high_watermark: int = -1
    last_stable_offset: int = -1
    log_start_offset: int = -1
    records: FileSlice | HeldRecords | None = None
    diverging_epoch: int = -1
    diverging_end_offset: int = -1
    aborted: Sequence[AbortedTransaction] | None = None


class FetchOutcome(NamedTuple):
    """The answer to a Fetch; with an error there are no partitions."""

    error: ErrorCode
    session_id: int
    fetched: list[Fetched]


class Lookup(NamedTuple):
    """Which offset of a partition is asked for: by timestamp (ms), or one of Kafka's negative codes.

    `most`: how many offsets of segments are asked for, as before 0.10.1; None asks for one
    of a record.
    """

    topic: str
    partition: int
    leader_epoch: int
    timestamp: int
    most: int | None = None


class ListOffsets(NamedTuple):
    """Find offsets. `committed_only` takes the last stable offset for the latest."""

    replica_id: int
    committed_only: bool
    lookups: list[Lookup]


class FoundOffset(NamedTuple):
    """The answer to one Lookup; offset -1 where nothing is that late.

    `offsets` answers a lookup of segments, greatest first.
    """

    error: ErrorCode
    timestamp: int = -1
    offset: int = -1
    leader_epoch: int = -1
    offsets: Sequence[int] = ()
