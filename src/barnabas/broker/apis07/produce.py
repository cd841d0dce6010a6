"""PRODUCE and MULTIPRODUCE: append messages of Kafka 0.7 to partitions of this broker.

Does: makes topics and partitions that are written to; chooses where the partition is -1; checks CRCs,
    also inside compressed messages; appends each set whole or not at all, in order.
Ignores: nothing. A set that is too large is dropped, as in 0.7.2, and the connection goes on.
Refuses: all that follows a set that is wrong, where nobody can be told (no acks): that connection
    closes, and what was sent behind it was sent for nothing.
Source: seed 000 "Produce", "Multi-Produce"; Kafka 0.7.2's handleProducerRequest.
"""

from barnabas.broker.broker import Broker
from barnabas.broker.byte_topics import to_write
from barnabas.broker.context import RequestContext
from barnabas.dialects.commands import Appended, Produce
from barnabas.errors import ErrorCode


def handle(broker: Broker, context: RequestContext, produce: Produce) -> list[Appended]:
    """Append; the answers count once they are written."""
    del context
    answers: list[Appended] = []
    for append in produce.appends:
        partition = to_write(broker, append.topic, append.partition)
        if isinstance(partition, ErrorCode):
            answer = Appended(partition, message=f"{append.topic}-{append.partition}")
        else:
            assert append.records is not None
            answer = broker.replicas.append_messages(partition, append.records)
            if not answer.error:
                partition.unanswered.append((answers, len(answers)))
        answers.append(answer)
        if answer.error and answer.error != ErrorCode.MESSAGE_TOO_LARGE and not produce.acks:
            break
    return answers
