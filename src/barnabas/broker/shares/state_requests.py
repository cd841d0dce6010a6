"""One answer to a request about the states of several share partitions, when each of them has its own."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol

from barnabas.broker.purgatory.purgatory import Pending
from barnabas.broker.shares.coordinator import NOTHING, Told
from barnabas.coordinators.common.topic_partitions import Place
from barnabas.coordinators.share_state.states import KeptState, StateKey
from barnabas.errors import BrokerError, ErrorCode


class TopicRows(Protocol):
    """Partitions of one topic."""

    topic_id: Any
    partitions: Any


class Asked(Protocol):
    """A request, of whichever of these APIs."""

    group_id: str
    topics: Any


class Shape(NamedTuple):
    """How an API answers: its response, a topic of it, and a partition as it went well."""

    response: Callable[..., object]
    topic: Callable[..., object]
    row: Callable[[int, KeptState], Any]


def answer_each(
    request: Asked, shape: Shape, ask: Callable[[StateKey, Any, Told], None]
) -> Pending:
    """Ask for each partition by itself, and answer when all have answered.

    `ask` tells, now or later, or raises a BrokerError. Of nobody's group, and of topics without
    partitions, nothing is said.
    """
    pending = Pending()
    told: Sequence[TopicRows] = request.topics if request.group_id else ()
    topics = [topic for topic in told if topic.partitions]
    rows: dict[tuple[int, int], object] = {}
    total = sum(len(topic.partitions) for topic in topics)

    def answered(at: tuple[int, int], row: object) -> None:
        rows[at] = row
        if len(rows) == total:
            finish()

    def finish() -> None:
        results = [
            shape.topic(
                topic_id=topic.topic_id,
                partitions=[rows[index, each] for each in range(len(topic.partitions))],
            )
            for index, topic in enumerate(topics)
        ]
        pending.complete(shape.response(results=results))

    if not total:
        finish()
    for index, topic in enumerate(topics):
        for each, asked in enumerate(topic.partitions):
            answer = partial(answered, (index, each))
            try:
                key = _key(request.group_id, topic, asked.partition)
                ask(key, asked, partial(_tell, answer, shape, asked.partition))
            except BrokerError as error:
                answer(_refused(shape, asked.partition, error.code, error.why))
    return pending


def _tell(
    answer: Callable[[object], None],
    shape: Shape,
    partition: int,
    code: ErrorCode,
    found: KeptState,
) -> None:
    answer(_refused(shape, partition, code) if code else shape.row(partition, found))


def _refused(shape: Shape, partition: int, code: ErrorCode, why: str = "") -> object:
    row = shape.row(partition, NOTHING)
    row.error_code, row.error_message = code, why or None
    return row


def _key(group_id: str, topic: TopicRows, partition: int) -> StateKey:
    if partition < 0:
        raise BrokerError(ErrorCode.INVALID_REQUEST, "a partition is 0 or more")
    return StateKey(group_id, Place(bytes(topic.topic_id), partition))
