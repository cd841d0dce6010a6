"""PRODUCE and MULTIPRODUCE: append messages of Kafka 0.7 to partitions of this broker.

Does: what acks say, which only the proposal has: 0 no reply, 1 when it is written, more when that many
    replicas have written, of which there is one; makes topics and partitions that are written to;
    of more than 32 topics in a request of the proposal the rest is refused (UNKNOWN_TOPIC_OR_PARTITION);
    chooses where the partition is -1; checks CRCs, also inside compressed messages; appends each set
    whole or not at all, in order; where many topics are to be made, others are served between them.
Ignores: nothing. A set that is too large is dropped, as in 0.7.2, and the connection continues.
Refuses: without acks, everything after an invalid set: no response can report the error, so the
    connection closes, and the requests after it are lost.
Source: seed 000 "Produce", "Multi-Produce"; Kafka 0.7.2's handleProducerRequest.
"""

from collections.abc import Iterator

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.delayed_produce import all_failed, wait_for_replicas
from barnabas.broker.purgatory.pending import Pending
from barnabas.broker.purgatory.slow_requests import MANY_PARTITIONS
from barnabas.broker.purgatory.stepping import Steps
from barnabas.broker.replicas.append_errors import refused
from barnabas.broker.replicas.partition import Partition
from barnabas.broker.replicas.slow_rolls import ROLLS_IN_STEP, rolled
from barnabas.broker.requests.topics07 import to_write
from barnabas.errors import ErrorCode
from barnabas.protocol.produce import ProduceRequest, ProduceResponse, TopicProduceResponse
from barnabas.records.batches.unpacking import Unpacking
from barnabas.versions import VersionTable

_KEEPS_ORDER = VersionTable({0: False, 3: True})
"""Whether the next request waits where this one does: as version one of 0.7 has its type, here
MULTIPRODUCE, and those of the proposal have 0."""
_FEW_TOPICS = 4
"""So many are made at once; each takes some milliseconds, during which nobody else is served."""
_MOST_TOPICS = 32
"""So many does a request make that cannot be done in steps, because later ones would overtake it."""


def handle(
    broker: Broker, context: RequestContext, request: ProduceRequest
) -> ProduceResponse | Pending:
    """Append; the response counts once it is written."""
    if request.acks < 0:
        return _refused(request)
    keeps_order = _KEEPS_ORDER[context.api_version]
    if keeps_order and _makes_many(broker, request):
        return _appended_in_steps(broker, request)
    if sum(len(topic.partition_data) for topic in request.topic_data) > MANY_PARTITIONS:
        broker.slow_requests.handled()
    response = ProduceResponse(responses=[])
    for _ in _append_all(broker, request, response, None if keeps_order else _MOST_TOPICS):
        pass
    if request.acks <= 1 or all_failed(response):
        return response
    partitions = broker.replicas.partitions_of(request)
    return wait_for_replicas(broker.purgatory, partitions, request, response)


def _refused(request: ProduceRequest) -> ProduceResponse:
    """The response to a request with invalid acks: at least one error."""
    code, message = ErrorCode.INVALID_REQUIRED_ACKS, f"acks={request.acks}"
    indexes = [one.index for topic in request.topic_data for one in topic.partition_data] or [-1]
    answers = [refused(index, code, message) for index in indexes]
    return ProduceResponse(responses=[TopicProduceResponse(partition_responses=answers)])


def _makes_many(broker: Broker, request: ProduceRequest) -> bool:
    names = {topic.name for topic in request.topic_data}
    return sum(broker.topics.get(name) is None for name in names) > _FEW_TOPICS


def _appended_in_steps(broker: Broker, request: ProduceRequest) -> ProduceResponse | Pending:
    """One set in each turn of the loop; the next request of the connection waits for all of them.

    Requests of the proposal do not wait for each other, so these are never in steps.
    """
    # What the sets are views of is received into again before their turn comes.
    for topic in request.topic_data:
        for one in topic.partition_data:
            if isinstance(one.records, memoryview):
                one.records = memoryview(bytearray(one.records))
    return broker.stepping.run(_appended_all(broker, request))


def _appended_all(broker: Broker, request: ProduceRequest) -> Steps[ProduceResponse]:
    response = ProduceResponse(responses=[])
    yield from _append_all(broker, request, response, None)
    return response


def _append_all(
    broker: Broker, request: ProduceRequest, response: ProduceResponse, most_topics: int | None
) -> Iterator[None]:
    """One after the other; at most so many topics are made.

    Few segments begin, as each takes 1 ms, and a request may have 30,000 sets: the next request rolls the rest.
    """
    unpacking = Unpacking()
    made = rolls = 0
    for topic in request.topic_data:
        answers = TopicProduceResponse(name=topic.name, partition_responses=[])
        response.responses.append(answers)
        is_new = broker.topics.get(topic.name) is None
        made += is_new
        is_one_too_many = is_new and most_topics is not None and made > most_topics
        for one in topic.partition_data:
            partition: Partition | ErrorCode = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
            if not is_one_too_many:
                partition = to_write(broker, topic.name, one.index)
            if isinstance(partition, ErrorCode):
                answer = refused(one.index, partition, f"{topic.name!r}, {one.index}")
            else:
                assert isinstance(one.records, memoryview)
                answer = broker.replicas.append_messages(
                    partition, one.records, unpacking, rolls=rolls < ROLLS_IN_STEP
                )
                rolls += not answer.error_code and rolled(partition, answer)
            answers.partition_responses.append(answer)
            code = answer.error_code
            if code and code != ErrorCode.MESSAGE_TOO_LARGE and not request.acks:
                return
            yield
    if unpacking.is_much or made or rolls == ROLLS_IN_STEP:
        broker.slow_requests.handled()
