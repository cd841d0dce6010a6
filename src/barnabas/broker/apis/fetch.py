"""Fetch (key 1): read record sets from partitions this broker leads, waiting for some to arrive.

Does: sessions (KIP-227); long poll up to `max_wait_ms` for `min_bytes`; errors are answered at once;
    the first batch always whole; limits per partition and per response; epochs (KIP-320, KIP-595).
Ignores: `rack_id`, `isolation_level` (without transactions the last stable offset is the high
    watermark), the follower's fields.
Versions: 6 knows storage errors · 7 sessions · 9 leader epochs · 12 diverging epochs · 13 topic ids
"""

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.delayed_fetch import DelayedFetch, is_due, readable_bytes
from barnabas.broker.fetch_sessions import FetchPlan
from barnabas.broker.purgatory import Pending
from barnabas.dialects.commands import Fetch, FetchOutcome
from barnabas.errors import ErrorCode


def handle(broker: Broker, context: RequestContext, fetch: Fetch) -> FetchOutcome | Pending:
    """Read, or wait and read then."""
    del context
    plan = broker.fetch_sessions.begin(fetch)
    if isinstance(plan, ErrorCode):
        return FetchOutcome(plan, 0, [])
    max_bytes = min(fetch.max_bytes, broker.config.fetch_max_bytes)
    min_bytes = min(fetch.min_bytes, max_bytes)
    fetched = broker.replicas.read(plan.reads, max_bytes)
    if fetch.max_wait_ms <= 0 or is_due(fetched, min_bytes):
        return plan.answer(fetched)
    missing = min_bytes - readable_bytes(fetched)
    return _wait(broker, plan, max_bytes, missing, fetch.max_wait_ms)


def _wait(broker: Broker, plan: FetchPlan, max_bytes: int, missing: int, wait_ms: int) -> Pending:
    pending = Pending()

    def finish() -> None:
        pending.complete(plan.answer(broker.replicas.read(plan.reads, max_bytes)))

    condition = DelayedFetch(missing, finish)
    keys = broker.replicas.keys_of(plan.reads)
    pending.on_given_up(broker.purgatory.park(condition, keys, wait_ms / 1000))
    return pending
