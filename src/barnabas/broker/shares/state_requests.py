"""Requests about several share partition states, each with its own response."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol

from barnabas.broker.purgatory.pending import Pending
from barnabas.broker.purgatory.stepping import Steps, grown_in_steps
from barnabas.broker.shares.coordinator import NOTHING, RespondState
from barnabas.coordinators.common.topic_partitions import TopicIdPartition
from barnabas.coordinators.share_state.states import ShareState, StateKey
from barnabas.errors import BrokerError, ErrorCode
from barnabas.wire.growing import GrowingArray

_AT_ONCE = 64
"""Partitions that are requested together, and written together: two milliseconds."""


class StateTopic(Protocol):
    """Partitions of one topic."""

    topic_id: Any
    partitions: Any


class StateRequest(Protocol):
    """A request, of whichever of these APIs."""

    group_id: str
    topics: Any


class ResponseShape(NamedTuple):
    """How an API answers: its response, a topic of it, and a partition as it went well."""

    response: Callable[..., object]
    topic: Callable[..., object]
    row: Callable[[int, ShareState], Any]


def answer_each(
    request: StateRequest, shape: ResponseShape, ask: Callable[[StateKey, Any, RespondState], None]
) -> Steps[object]:
    """Handle some partitions at once, and the next ones when these have results.

    `ask` delivers its result now or later, or raises a BrokerError. The response omits topics without
    partitions, and everything if the request names no group.
    """
    topics: Sequence[StateTopic] = request.topics if request.group_id else ()

    def answer(topic: StateTopic) -> Steps[object]:
        partitions: GrowingArray[object] = GrowingArray()
        for first in range(0, len(topic.partitions), _AT_ONCE):
            some = topic.partitions[first : first + _AT_ONCE]
            rows: list[object] = yield _ask_some(request.group_id, topic, some, shape, ask)
            for row in rows:
                partitions.add(row)
                yield partitions
        return shape.topic(topic_id=topic.topic_id, partitions=partitions.done())

    results = yield from grown_in_steps([topic for topic in topics if topic.partitions], answer)
    return shape.response(results=results)


def _ask_some(
    group_id: str,
    topic: StateTopic,
    some: Sequence[Any],
    shape: ResponseShape,
    ask: Callable[[StateKey, Any, RespondState], None],
) -> Pending:
    """The rows of some partitions of a topic, when all are there."""
    pending = Pending()
    rows: dict[int, object] = {}

    def answered(at: int, row: object) -> None:
        rows[at] = row
        if len(rows) == len(some):
            pending.complete([rows[each] for each in range(len(some))])

    for at, asked in enumerate(some):
        answer = partial(answered, at)
        try:
            key = _key(group_id, topic, asked.partition)
            ask(key, asked, partial(_tell, answer, shape, asked.partition))
        except BrokerError as error:
            answer(_refused(shape, asked.partition, error.code, error.why))
    return pending


def _tell(
    answer: Callable[[object], None],
    shape: ResponseShape,
    partition: int,
    code: ErrorCode,
    found: ShareState,
) -> None:
    answer(_refused(shape, partition, code) if code else shape.row(partition, found))


def _refused(shape: ResponseShape, partition: int, code: ErrorCode, why: str = "") -> object:
    row = shape.row(partition, NOTHING)
    row.error_code, row.error_message = code, why or None
    return row


def _key(group_id: str, topic: StateTopic, partition: int) -> StateKey:
    if partition < 0:
        raise BrokerError(ErrorCode.INVALID_REQUEST, "a partition number must be 0 or more")
    return StateKey(group_id, TopicIdPartition(bytes(topic.topic_id), partition))
