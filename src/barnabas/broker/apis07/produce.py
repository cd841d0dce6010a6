"""PRODUCE and MULTIPRODUCE: append messages of Kafka 0.7 to partitions of this broker.

Does: what acks say, which only the proposal has: 0 no reply, 1 when it is written, more when that many
    replicas have written, of which there is one; makes topics and partitions that are written to;
    chooses where the partition is -1; checks CRCs, also inside compressed messages; appends each set
    whole or not at all, in order; where many topics are to be made, others are served between them.
Ignores: nothing. A set that is too large is dropped, as in 0.7.2, and the connection goes on.
Refuses: all that follows a set that is wrong, where nobody can be told (no acks): that connection
    closes, and what was sent behind it was sent for nothing.
Source: seed 000 "Produce", "Multi-Produce"; Kafka 0.7.2's handleProducerRequest.
"""

from collections.abc import Iterator

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.delayed_produce import DelayedProduce, out_of_time
from barnabas.broker.purgatory.purgatory import Pending
from barnabas.broker.purgatory.stepping import Steps
from barnabas.broker.requests.byte_topics import to_write
from barnabas.dialects.commands import Appended, Produce
from barnabas.errors import ErrorCode
from barnabas.records.batches.unpacking import Unpacking
from barnabas.versions import VersionTable

_KEEPS_ORDER = VersionTable({0: False, 3: True})
"""Whether the next request waits where this one does: as version one of 0.7 has its type, here
MULTIPRODUCE, and those of the proposal have 0."""
_FEW_TOPICS = 4
"""So many are made at once; each takes some milliseconds, during which nobody else is served."""


def handle(broker: Broker, context: RequestContext, produce: Produce) -> list[Appended] | Pending:
    """Append; the answers count once they are written."""
    if produce.acks < 0:
        refused = Appended(ErrorCode.INVALID_REQUIRED_ACKS, message=f"acks={produce.acks}")
        return [refused] * max(len(produce.appends), 1)
    keeps_order = _KEEPS_ORDER[context.api_version]
    if keeps_order and _makes_many(broker, produce):
        return _appended_in_steps(broker, produce)
    answers: list[Appended] = []
    for _ in _append_all(broker, produce, answers):
        pass
    if produce.acks <= 1 or all(answer.error for answer in answers):
        return answers
    pending = Pending()
    condition = DelayedProduce(
        lambda: pending.complete([out_of_time(answer) for answer in answers])
    )
    found = [broker.replicas.find(one.topic, one.partition) for one in produce.appends]
    keys = {partition for partition in found if partition is not None}
    # They are views of what the connection receives into, and the request waits with its answer.
    produce.appends.clear()
    wait_s = max(produce.timeout_ms, 0) / 1000
    broker.purgatory.park(condition, keys, wait_s, pending)
    return pending


def _makes_many(broker: Broker, produce: Produce) -> bool:
    new = {one.topic for one in produce.appends if broker.topics.get(one.topic) is None}
    return len(new) > _FEW_TOPICS


def _appended_in_steps(broker: Broker, produce: Produce) -> list[Appended] | Pending:
    """One set in each turn of the loop; the next request of the connection waits for all of them.

    Requests of the proposal do not wait for each other, so these are never in steps.
    """
    # What the sets are views of is received into again before their turn comes.
    produce.appends[:] = [
        one._replace(records=None if one.records is None else memoryview(bytearray(one.records)))
        for one in produce.appends
    ]
    return broker.stepping.run(_appended_all(broker, produce))


def _appended_all(broker: Broker, produce: Produce) -> Steps[list[Appended]]:
    answers: list[Appended] = []
    yield from _append_all(broker, produce, answers)
    return answers


def _append_all(broker: Broker, produce: Produce, answers: list[Appended]) -> Iterator[None]:
    """One after the other."""
    unpacking = Unpacking()
    for append in produce.appends:
        partition = to_write(broker, append.topic, append.partition)
        if isinstance(partition, ErrorCode):
            answer = Appended(partition, message=f"{append.topic!r}, {append.partition}")
        else:
            assert append.records is not None
            answer = broker.replicas.append_messages(partition, append.records, unpacking)
            if not answer.error:
                partition.unanswered.append((answers, len(answers)))
        answers.append(answer)
        if answer.error and answer.error != ErrorCode.MESSAGE_TOO_LARGE and not produce.acks:
            return
        yield
