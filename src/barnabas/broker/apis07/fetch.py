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
from barnabas.broker.purgatory.pending import Pending
from barnabas.broker.purgatory.slow_requests import MANY_PARTITIONS
from barnabas.broker.replicas.fetch_rows import Fetched, Read, failed, reads_of, response_of
from barnabas.broker.replicas.reading import read_region
from barnabas.broker.requests.topics07 import to_read
from barnabas.errors import ErrorCode
from barnabas.protocol.fetch import FetchRequest, FetchResponse


def handle(
    broker: Broker, context: RequestContext, request: FetchRequest | None
) -> FetchResponse | Pending:
    """Read, or wait and read then. A request that contradicts itself is answered as it is."""
    del context
    if request is None:
        return FetchResponse(error_code=ErrorCode.INVALID_REQUEST, responses=[])
    reads = reads_of(request)
    if len(reads) > MANY_PARTITIONS:
        broker.slow_requests.handled()
    fetched = _read_all(broker, reads)
    if request.max_wait_ms <= 0 or is_due(fetched, request.min_bytes):
        return response_of(fetched)
    pending = Pending()

    def finish(*, must: bool) -> bool:
        del must
        pending.complete(response_of(_read_all(broker, reads)))
        return True

    condition = DelayedFetch(request.min_bytes - readable_bytes(fetched), finish)
    keys = [_key(broker, read) for read in reads]
    seconds = request.max_wait_ms / 1000
    broker.purgatory.park(condition, keys, seconds, pending, topics=len(request.topics))
    return pending


def _key(broker: Broker, read: Read) -> Hashable:
    """What the purgatory knows a partition by, also one that is not there yet."""
    place = read.topic, read.asked.partition
    partition = broker.replicas.find(*place)
    return place if partition is None else partition


def _read_all(broker: Broker, reads: list[Read]) -> list[Fetched]:
    broker.replicas.write()
    return [_read(broker, read) for read in reads]


def _read(broker: Broker, read: Read) -> Fetched:
    partition = to_read(broker, read.topic, read.asked.partition)
    code = partition if isinstance(partition, ErrorCode) else ErrorCode.NONE
    if not code and read.asked.partition_max_bytes < 0:
        code = ErrorCode.INVALID_FETCH_SIZE
    if code or partition is None or isinstance(partition, ErrorCode):
        return failed(read, code)
    return read_region(partition, read)
