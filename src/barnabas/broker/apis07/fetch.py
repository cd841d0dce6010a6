"""FETCH and MULTIFETCH: bytes of logs of Kafka 0.7's format, each partition with its own error.

Does: reads up to the limit, cut where that is, never from two segments; waits for bytes where the
    request can say so, as the proposal's does.
Ignores: whether the offset is where a message begins, as 0.7.2 does.
Errors: OFFSET_OUT_OF_RANGE (1), UNKNOWN_TOPIC_OR_PARTITION (3, WrongPartition) for partitions that
    there cannot be, INVALID_FETCH_SIZE (4) for a negative size, UNKNOWN_SERVER_ERROR (-1) for names
    that no topic can have and for disks that fail.
Source: seed 000 "Fetch", "Multi-Fetch"; Kafka 0.7.2's handleFetchRequest, readMessageSet.
"""

from collections.abc import Hashable

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.delayed_fetch import DelayedFetch, is_due, readable_bytes
from barnabas.broker.purgatory.purgatory import Pending
from barnabas.broker.requests.byte_topics import to_read
from barnabas.dialects.commands import Fetch, Fetched, FetchOutcome, Read
from barnabas.errors import ErrorCode


def handle(broker: Broker, context: RequestContext, fetch: Fetch | None) -> FetchOutcome | Pending:
    """Read, or wait and read then. A request that contradicts itself is answered as it is."""
    del context
    if fetch is None:
        return FetchOutcome(ErrorCode.INVALID_REQUEST, 0, [])
    fetched = _read_all(broker, fetch)
    if fetch.max_wait_ms <= 0 or is_due(fetched, fetch.min_bytes):
        return FetchOutcome(ErrorCode.NONE, 0, fetched)
    pending = Pending()

    def finish(*, must: bool) -> bool:
        del must
        pending.complete(FetchOutcome(ErrorCode.NONE, 0, _read_all(broker, fetch)))
        return True

    condition = DelayedFetch(fetch.min_bytes - readable_bytes(fetched), finish)
    keys = [_key(broker, read) for read in fetch.reads]
    broker.purgatory.park(condition, keys, fetch.max_wait_ms / 1000, pending)
    return pending


def _key(broker: Broker, read: Read) -> Hashable:
    """What the purgatory knows a partition by, also one that is not there yet."""
    partition = broker.replicas.find(read.topic, read.partition)
    return (read.topic, read.partition) if partition is None else partition


def _read_all(broker: Broker, fetch: Fetch) -> list[Fetched]:
    broker.replicas.write()
    return [_read(broker, read) for read in fetch.reads]


def _read(broker: Broker, read: Read) -> Fetched:
    partition = to_read(broker, read.topic, read.partition)
    code = partition if isinstance(partition, ErrorCode) else ErrorCode.NONE
    if not code and read.max_bytes < 0:
        code = ErrorCode.INVALID_FETCH_SIZE
    if code or partition is None or isinstance(partition, ErrorCode):
        return Fetched(read.topic, read.topic_id, read.partition, code)
    return partition.read_region(read)
