"""Produce between Kafka's messages and the neutral command."""

from collections.abc import Sequence
from itertools import groupby
from typing import cast

from barnabas.dialects.commands import Append, Appended, Produce
from barnabas.dialects.kafka.rules import PRODUCE_RULES
from barnabas.protocol.produce import (
    BatchIndexAndErrorMessage,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceResponse,
)


def produce_command(request: ProduceRequest, version: int) -> Produce:
    """The command that a request stands for."""
    rules = PRODUCE_RULES[version]
    return Produce(
        request.acks,
        request.timeout_ms,
        request.transactional_id,
        rules.zstd,
        [
            Append(topic.name, topic.topic_id, one.index, cast("memoryview | None", one.records))
            for topic in request.topic_data
            for one in topic.partition_data
        ],
        rules.message_sets,
    )


def produce_response(
    command: Produce, answers: Sequence[Appended], version: int
) -> ProduceResponse:
    """The reply, in the order of the request."""
    codes = PRODUCE_RULES[version].codes
    rows = zip(command.appends, answers, strict=True)
    return ProduceResponse(
        responses=[
            TopicProduceResponse(
                name=name,
                topic_id=topic_id,
                partition_responses=[
                    _partition(append.partition, answer, codes.get(answer.error, answer.error))
                    for append, answer in group
                ],
            )
            for (name, topic_id), group in groupby(rows, lambda row: row[0][:2])
        ]
    )


def _partition(index: int, answer: Appended, code: int) -> PartitionProduceResponse:
    return PartitionProduceResponse(
        index=index,
        error_code=code,
        base_offset=answer.base_offset,
        log_append_time_ms=answer.append_time_ms,
        log_start_offset=answer.log_start_offset,
        record_errors=[
            BatchIndexAndErrorMessage(
                batch_index=one.batch_index, batch_index_error_message=one.message
            )
            for one in answer.record_errors
        ],
        error_message=answer.message,
    )
