"""Fetch (key 1): read record sets from partitions this broker leads, waiting for some to arrive.

Does: sessions (KIP-227); long poll up to `max_wait_ms` for `min_bytes`; errors are answered at once;
    the first batch always whole; limits per partition and per response; epochs (KIP-320, KIP-595);
    refuses topics that store zstd to clients that do not know it (KIP-110).
    With `read_committed`, records of open transactions are neither returned nor counted.
    A follower also gets uncommitted records, and its fetch reports its end. A consumer may read from
    any replica, and is referred to the nearest one if `replica.selector.class` is set (KIP-392).
Ignores: without other brokers, `rack_id` and the follower's fields.
Versions: 0 magic 0 only, limits cut messages · 2 magic 1 · 3 limits the response, which begins with
    a whole batch (KIP-74) · 4 magic 2 · 6 knows storage errors · 7 sessions · 9 leader epochs · 10
    zstd · 11 racks · 12 diverging epochs · 13 topic ids
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import partial
from typing import NamedTuple

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.delayed_fetch import DelayedFetch, is_due, readable_bytes
from barnabas.broker.purgatory.pending import Pending
from barnabas.broker.replicas.fetch_rows import Fetched, Read, failed
from barnabas.broker.replicas.fetch_sessions import FetchPlan
from barnabas.broker.replicas.follower_reading import FetchingReplica, read_for_replica
from barnabas.broker.replicas.preferred_replica import RackConsumer, read_nearest
from barnabas.broker.replicas.reading import ReadOne, read_records
from barnabas.errors import ErrorCode
from barnabas.protocol.api_keys import APIS, ApiKey
from barnabas.protocol.fetch import FetchRequest, FetchResponse
from barnabas.records.codecs.compression import HIGHEST_CODEC, Codec
from barnabas.types import READ_COMMITTED, NodeId
from barnabas.versions import VersionTable

_CONVERTED_BYTES_MAX = 4 << 20
"""What is read for one answer that has to be converted, as the loop waits for it meanwhile."""

_CONVERTED_AT_ONCE = 4096
"""What is more than that may unpack to so much that others should be served in between."""
_TODAY = 2


class _Rules(NamedTuple):
    """`highest_codec`, `magic`: the highest that may be given. `by_topic_id`: topics are given by their ids.

    `each_whole`: each partition's first batch is read whole, whatever the limits say. `by_rack`: the
    client can read from followers.
    """

    highest_codec: Codec
    magic: int = _TODAY
    each_whole: bool = False
    most_bytes: int = 2**31 - 1
    by_rack: bool = False
    by_topic_id: bool = False


_BY_VERSION = VersionTable(
    {
        0: _Rules(Codec.LZ4, magic=0, each_whole=True, most_bytes=_CONVERTED_BYTES_MAX),
        2: _Rules(Codec.LZ4, magic=1, each_whole=True, most_bytes=_CONVERTED_BYTES_MAX),
        3: _Rules(Codec.LZ4, magic=1, most_bytes=_CONVERTED_BYTES_MAX),
        4: _Rules(Codec.LZ4),
        10: _Rules(Codec.ZSTD),
        11: _Rules(Codec.ZSTD, by_rack=True),
        13: _Rules(Codec.ZSTD, by_rack=True, by_topic_id=True),
    }
)
_READERS: Mapping[tuple[bool, bool], ReadOne] = {
    (False, False): read_records,
    (True, False): partial(read_records, committed_only=True),
    (False, True): partial(read_records, from_follower=True),
    (True, True): partial(read_records, committed_only=True, from_follower=True),
}
"""By whether committed records alone are read, and from followers, too."""
_RULES = [_BY_VERSION[version] for version in range(APIS[ApiKey.FETCH].versions.last + 1)]


def handle(
    broker: Broker, context: RequestContext, request: FetchRequest
) -> FetchResponse | Pending:
    """Read, or wait and read then."""
    rules = _RULES[context.api_version]
    sessions = broker.fetch_sessions
    plan = sessions.begin(request, context.connection, by_topic_id=rules.by_topic_id)
    if isinstance(plan, ErrorCode):
        return FetchResponse(error_code=plan, responses=[])
    replica = _replica(broker, request)
    max_bytes = min(request.max_bytes, broker.config.fetch_max_bytes, rules.most_bytes)
    if broker.quotas.in_force:
        quota = broker.throttling.most_to_fetch(context.client_id or "")
        max_bytes = max_bytes if quota is None else min(max_bytes, quota)
    min_bytes = min(request.min_bytes, max_bytes)
    if replica is not None:
        for_replica = partial(read_for_replica, clock=broker.clock)
        once = partial(for_replica, replica=replica)
        read = partial(broker.replicas.read, plan.reads, max_bytes, once)
        later = partial(for_replica, replica=replica._replace(has_asked=True))
        again = partial(broker.replicas.read, plan.reads, max_bytes, later)
    elif rules.each_whole:
        read = again = partial(broker.replicas.read_each, plan.reads, max_bytes)
    else:
        one = _reading(broker, request, rules)
        read = again = partial(broker.replicas.read, plan.reads, max_bytes, one)
    writes = broker.replicas.writes
    fetched = read()
    if replica is not None and writes != broker.replicas.writes:
        # How far it is committed records, and the broker has written what follows from that.
        fetched = again()
    if rules.highest_codec < HIGHEST_CODEC:
        fetched = _without_unreadable(broker, plan.reads, fetched, rules)
    if rules.magic < _TODAY and readable_bytes(fetched) > _CONVERTED_AT_ONCE:
        broker.slow_requests.handled()
    if request.max_wait_ms <= 0 or is_due(fetched, min_bytes):
        return _answer(broker, plan, replica, fetched)
    limits = min_bytes, min_bytes - readable_bytes(fetched)
    return _wait(broker, plan, again, limits, request, rules)


def _reading(broker: Broker, request: FetchRequest, rules: _Rules) -> ReadOne:
    """How a partition is read for a consumer."""
    committed_only = request.isolation_level == READ_COMMITTED
    from_follower = broker.member is not None and rules.by_rack
    if not from_follower or not request.rack_id or broker.config.replica_selector_class is None:
        return _READERS[committed_only, from_follower]
    assert broker.member is not None
    brokers = broker.member.image.brokers.items()
    racks = {node_id: one.rack for node_id, one in brokers if one.rack}
    return partial(read_nearest, consumer=RackConsumer(request.rack_id, racks, committed_only))


def _wait(
    broker: Broker,
    plan: FetchPlan,
    read: Callable[[], list[Fetched]],
    limits: tuple[int, int],
    request: FetchRequest,
    rules: _Rules,
) -> Pending:
    min_bytes, missing = limits
    replica = _replica(broker, request)
    # The count may be of bytes that are not to be seen yet.
    counts = request.isolation_level != READ_COMMITTED and broker.member is None
    pending = Pending()

    def finish(*, must: bool) -> bool:
        fetched = read()
        if not must and not counts and not is_due(fetched, min_bytes):
            return False
        if rules.highest_codec < HIGHEST_CODEC:
            fetched = _without_unreadable(broker, plan.reads, fetched, rules)
        pending.complete(_answer(broker, plan, replica, fetched))
        return True

    condition = DelayedFetch(missing, finish)
    keys: Iterable[Hashable] = broker.replicas.keys_of(plan.reads)
    if broker.member is not None and replica is None:
        # Consumers wait for the high watermark, which a role moves.
        found = broker.replicas.keys_of(plan.reads)
        keys = [one.role or one for one in found]
    seconds = request.max_wait_ms / 1000
    broker.purgatory.park(condition, keys, seconds, pending, topics=len(request.topics))
    return pending


def _answer(
    broker: Broker, plan: FetchPlan, replica: FetchingReplica | None, fetched: list[Fetched]
) -> FetchResponse:
    """Answer; what a follower gets counts for the throttle of leaders."""
    if replica is None or replica.throttle is None:
        return plan.answer(fetched)
    now_ms = int(broker.clock.monotonic() * 1000)
    for read, one in zip(plan.reads, fetched, strict=True):
        if one.data.records:
            partition = broker.replicas.find_requested(
                read.topic, read.topic_id, read.asked.partition
            )
            if partition is not None:
                size = len(one.data.records)
                replica.throttle.record(partition.log.topic_partition, size, now_ms)
    return plan.answer(fetched)


def _replica(broker: Broker, request: FetchRequest) -> FetchingReplica | None:
    """The broker that fetches; None: a consumer does."""
    if broker.member is None:
        return None
    state = request.replica_state
    node_id = request.replica_id if state is None else state.replica_id
    epoch = -1 if state is None else state.replica_epoch
    throttle = broker.member.throttles.leader
    return FetchingReplica(NodeId(node_id), epoch, throttle) if node_id >= 0 else None


def _without_unreadable(
    broker: Broker, reads: list[Read], fetched: list[Fetched], rules: _Rules
) -> list[Fetched]:
    """The same, but for topics stored in a newer codec, and those not to be converted."""
    given = []
    for read, one in zip(reads, fetched, strict=True):
        partition = broker.replicas.find(one.topic, one.data.partition_index)
        code = ErrorCode.NONE
        if not one.data.error_code and partition is not None:
            config = partition.log.config
            if config.stored is not None and config.stored.codec > rules.highest_codec:
                code = ErrorCode.UNSUPPORTED_COMPRESSION_TYPE
            elif config.magic > rules.magic and not config.downconverts:
                code = ErrorCode.UNSUPPORTED_VERSION
        given.append(failed(read, code) if code else one)
    return given
