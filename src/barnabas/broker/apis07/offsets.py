"""OFFSETS: where segments of a partition begin, and its end, by the time they were last changed.

Does: -1 latest, -2 earliest, other times as milliseconds; greatest first, at most so many. The end
    is there where the last segment is, as seed 000 has it; with 0.7.2 only from its present time on.
Ignores: the number for a partition without a log, which has the offset 0, as in 0.7.2.
Errors: for a name that no topic can have, a partition that there cannot be and a negative number;
    0.7 has no place for them.
Source: seed 000 "Offsets"; Kafka 0.7.2's handleOffsetRequest, Log.getOffsetsBefore.
"""

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.requests.byte_topics import to_read
from barnabas.dialects.commands import FoundOffset, ListOffsets, Lookup
from barnabas.errors import ErrorCode

_ENDS = frozenset({-1, -2})


def handle(broker: Broker, context: RequestContext, asked: ListOffsets) -> list[FoundOffset]:
    """Find offsets, in the order of the lookups."""
    del context
    broker.replicas.write()
    return [_find(broker, lookup) for lookup in asked.lookups]


def _find(broker: Broker, lookup: Lookup) -> FoundOffset:
    partition = to_read(broker, lookup.topic, lookup.partition)
    if isinstance(partition, ErrorCode):
        return FoundOffset(partition)
    if partition is None:
        return FoundOffset(ErrorCode.NONE, offsets=[0] if lookup.timestamp in _ENDS else [])
    if lookup.most is None or lookup.most < 0:
        return FoundOffset(ErrorCode.INVALID_REQUEST)
    return partition.find_by_segment(lookup, lookup.most, None)
