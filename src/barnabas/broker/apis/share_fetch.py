"""ShareFetch (key 78): a member of a share group acquires and acknowledges records (KIP-932).

Does: opens and updates sessions; applies acknowledgements first, then acquires records of the session's
    partitions, which the member holds until its lock ends. Waits up to `max_wait_ms` for records. With
    `read_committed` a group gets no records from an open transaction on; aborted ones are completed at once.
Refuses: like Kafka 4.3, with UNKNOWN_SERVER_ERROR for the whole request, sessions with an unknown topic id,
    also that of a deleted topic, and unknown acquire modes; acknowledgements and locks of the request stay
    valid. Partitions of topics that no member of the group is subscribed to.
Ignores: `min_bytes`: any records are enough.
Versions: 1 a limit on records · 2 strict limit (KIP-1206), renewed locks (KIP-1222)
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Final, NamedTuple

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.pending import Pending
from barnabas.broker.purgatory.stepping import Steps, in_steps
from barnabas.broker.requests.share_leaders import current_leader
from barnabas.broker.shares.acknowledgements import (
    Acknowledger,
    Codes,
    acknowledge_all,
    acknowledgements_of,
)
from barnabas.broker.shares.active_partitions import AcquiredBatches, ActiveSharePartition
from barnabas.broker.shares.sessions import CLOSES, OPENS, ShareSession, ShareSessions
from barnabas.coordinators.common.topic_partitions import TopicIdPartition
from barnabas.coordinators.share_partition.acquiring import AcquireMaximum
from barnabas.coordinators.share_partition.spans import Span
from barnabas.coordinators.share_state.states import StateKey
from barnabas.errors import BrokerError, ErrorCode
from barnabas.protocol.share_fetch import (
    AcquiredRecords,
    LeaderIdAndEpoch,
    PartitionData,
    ShareFetchableTopicResponse,
    ShareFetchRequest,
    ShareFetchResponse,
)

_COMING: Final = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
"""In a cluster, request the stored state of a partition."""
_STRICT = 1
_MODES = frozenset({0, _STRICT})
_MOST_AT_ONCE = 1 << 20
"""Bytes that are read of one partition for one answer, beside its first batch."""


class _Got(NamedTuple):
    """What a partition comes to: records, or why there are none."""

    place: TopicIdPartition
    acquired: AcquiredBatches | None = None
    code: ErrorCode = ErrorCode.NONE


@in_steps
def handle(
    broker: Broker, context: RequestContext, request: ShareFetchRequest
) -> Steps[ShareFetchResponse | Pending]:
    """Acknowledge, then acquire."""
    group_id, member_id = request.group_id or "", request.member_id or ""
    epoch = request.share_session_epoch
    acknowledgements = acknowledgements_of(request.topics)
    try:
        _check(request)
        session = broker.shares.sessions.begin(group_id, member_id, epoch, context.connection)
        _adopt(broker.shares.sessions, session, request)
    except BrokerError as error:
        return _refused(error.code, error.why or None)
    sender = Acknowledger(group_id, member_id, request.is_renew_ack)
    codes = yield from acknowledge_all(broker.shares.partitions, sender, acknowledgements)
    if epoch == CLOSES:
        broker.shares.end_session(group_id, member_id)
        return _answer(broker, request, [], codes)
    if not request.is_renew_ack and request.share_acquire_mode not in _MODES:
        return _refused(ErrorCode.UNKNOWN_SERVER_ERROR)
    got = [] if request.is_renew_ack else (yield from _acquire(broker, request, session))
    waits = request.max_wait_ms > 0 and not request.is_renew_ack
    if got or codes or not waits:
        return _answer_of(broker, request, session, got, codes)
    return _wait(broker, request, session)


def _check(request: ShareFetchRequest) -> None:
    acknowledges_nothing_yet = (
        acknowledgements_of(request.topics) and request.share_session_epoch == OPENS
    )
    if request.group_id is None or not request.member_id or acknowledges_nothing_yet:
        raise BrokerError(ErrorCode.INVALID_REQUEST)


def _adopt(sessions: ShareSessions, session: ShareSession, request: ShareFetchRequest) -> None:
    added = [
        TopicIdPartition(bytes(topic.topic_id), one.partition_index)
        for topic in request.topics
        for one in topic.partitions
    ]
    forgotten = [
        TopicIdPartition(bytes(gone.topic_id), index)
        for gone in request.forgotten_topics_data
        for index in gone.partitions
    ]
    sessions.change(session, added, forgotten)


class _Waiting:
    """A fetch that waits until there is something for it in one of its partitions."""

    def __init__(self, has_some: Callable[[], bool], on_finish: Callable[[], None]) -> None:
        self._has_some = has_some
        self._on_finish = on_finish
        self._is_gone = False

    def happened(self, key: Hashable, amount: int) -> bool:
        """Records were written, committed or released, or (below 0) the partition is gone."""
        del key
        self._is_gone = self._is_gone or amount < 0
        return True

    def finish(self, *, is_late: bool) -> bool:
        """Look again, and answer if there is something that no other fetch has taken meanwhile."""
        must = is_late or self._is_gone
        if not must and not self._has_some():
            return False
        self._on_finish()
        return True


def _wait(broker: Broker, request: ShareFetchRequest, session: ShareSession) -> Pending:
    pending = Pending()

    def acquire() -> Steps[ShareFetchResponse]:
        got = yield from _acquire(broker, request, session)
        return _answer_of(broker, request, session, got, {})

    def finish() -> None:
        pending.go_on(lambda: broker.stepping.run(acquire()))

    def has_some() -> bool:
        return any(_may_have_some(broker, request, place) for place in places)

    places = tuple(session.places)
    keys = [key for place in places for key in _keys_of(broker, request, place)]
    seconds = request.max_wait_ms / 1000
    broker.purgatory.park(_Waiting(has_some, finish), keys, seconds, pending)
    return pending


def _keys_of(
    broker: Broker, request: ShareFetchRequest, place: TopicIdPartition
) -> Iterable[Hashable]:
    """The purgatory key of fetches that wait for records of a partition."""
    yield StateKey(request.group_id or "", place)
    topic = broker.topics.by_id(place.topic_id)
    partition = None if topic is None else broker.replicas.find(topic.name, place.partition)
    if partition is not None:
        # In a cluster a role moves the high watermark.
        yield partition
        if partition.role is not None:
            yield partition.role


def _may_have_some(broker: Broker, request: ShareFetchRequest, place: TopicIdPartition) -> bool:
    """Whether there may be records, or something is wrong."""
    found = _find(broker, request, place)
    if isinstance(found, ActiveSharePartition):
        return broker.shares.partitions.locks.has_some(found)
    return found is not _COMING


def _find(
    broker: Broker, request: ShareFetchRequest, place: TopicIdPartition
) -> ActiveSharePartition | ErrorCode:
    try:
        return broker.shares.partitions.find(StateKey(request.group_id or "", place))
    except BrokerError as error:
        return error.code


def _acquire(
    broker: Broker, request: ShareFetchRequest, session: ShareSession
) -> Steps[list[_Got]]:
    """Records of the session's partitions in turn, until there are enough; and what went wrong."""
    left, left_bytes = request.max_records, request.max_bytes
    strict = request.share_acquire_mode == _STRICT
    got: list[_Got] = []
    sessions, member = broker.shares.sessions, (request.group_id or "", request.member_id or "")
    for place in list(session.places):
        yield
        if not sessions.goes_on(member, session):
            break
        live = _find(broker, request, place)
        if live is _COMING:
            continue
        if isinstance(live, ErrorCode):
            got.append(_Got(place, code=live))
            continue
        if left <= 0 or left_bytes <= 0:
            break
        most, most_bytes = (
            AcquireMaximum(left, strict, request.batch_size),
            min(left_bytes, _MOST_AT_ONCE),
        )
        try:
            acquired = broker.shares.partitions.locks.acquire(
                live, request.member_id or "", most, most_bytes
            )
        except BrokerError as error:
            got.append(_Got(place, code=error.code))
            continue
        if acquired is not None:
            left -= sum(len(span) for span in acquired.spans)
            left_bytes -= len(acquired.records)
            got.append(_Got(place, acquired))
    session.rotate()
    return got


def _answer_of(
    broker: Broker,
    request: ShareFetchRequest,
    session: ShareSession,
    got: Sequence[_Got],
    codes: Codes,
) -> ShareFetchResponse:
    """The answer, if all topics of the session are there: see the head of this file."""
    is_lost = any(broker.topics.by_id(place.topic_id) is None for place in session.places)
    if is_lost and not request.is_renew_ack:
        return _refused(ErrorCode.UNKNOWN_SERVER_ERROR)
    return _answer(broker, request, got, codes)


def _refused(code: ErrorCode, why: str | None = None) -> ShareFetchResponse:
    return ShareFetchResponse(error_code=code, error_message=why, responses=[], node_endpoints=[])


def _answer(
    broker: Broker, request: ShareFetchRequest, got: Sequence[_Got], codes: Codes
) -> ShareFetchResponse:
    by_place = {one.place: one for one in got}
    topics: dict[bytes, list[PartitionData]] = {}
    for place in dict.fromkeys([*by_place, *codes]):
        one = by_place.get(place, _Got(place))
        acquired = one.acquired
        topics.setdefault(place.topic_id, []).append(
            PartitionData(
                partition_index=place.partition,
                error_code=one.code,
                acknowledge_error_code=codes.get(place, ErrorCode.NONE),
                current_leader=_leader(broker, place, one.code or codes.get(place, ErrorCode.NONE)),
                records=b"" if acquired is None else acquired.records,
                acquired_records=[]
                if acquired is None
                else list(_acquired_records(acquired.spans)),
            )
        )
    return ShareFetchResponse(
        error_code=ErrorCode.NONE,
        acquisition_lock_timeout_ms=broker.shares.partitions.locks.lock_ms(request.group_id or ""),
        responses=[
            ShareFetchableTopicResponse(topic_id=topic_id, partitions=partitions)
            for topic_id, partitions in topics.items()
        ],
        node_endpoints=[],
    )


def _acquired_records(spans: Iterable[Span]) -> Iterable[AcquiredRecords]:
    for span in spans:
        yield AcquiredRecords(
            first_offset=span.first, last_offset=span.last, delivery_count=span.count
        )


def _leader(broker: Broker, place: TopicIdPartition, code: ErrorCode) -> LeaderIdAndEpoch:
    leader_id, epoch = current_leader(broker, place, code)
    return LeaderIdAndEpoch(leader_id=leader_id, leader_epoch=epoch)
