"""ListOffsets (key 2): find offsets by timestamp, and the ends of a log.

Does: earliest (-2), latest (-1), the record with the greatest timestamp (-3), earliest local (-4); by
    timestamp the first record at or after it.
Ignores: `isolation_level` (without transactions the last stable offset is the high watermark),
    `replica_id`, `timeout_ms`. Nothing is tiered: -5 and -6 find nothing.
Versions: 4 leader epochs · 7 greatest timestamp (KIP-734) · 8, 9, 11 tiered storage
"""

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.dialects.commands import FoundOffset, ListOffsets


def handle(broker: Broker, context: RequestContext, command: ListOffsets) -> list[FoundOffset]:
    """Look up, in the order of the request."""
    del context
    return broker.replicas.list_offsets(command)
