"""Produce (key 0): append record sets to partitions this broker leads.

Does: checks acks, which may be any number in version 0, as in 0.8 (see `Profile`): more than there are
    in-sync replicas are not waited for; appends what passes, each partition by itself; answers when it is
    written.
    With acks=-1, partitions that have replicas elsewhere answer when all in sync have what was appended.
Ignores: where there is one replica `timeout_ms`, and the difference of acks=1 and acks=-1.
Refuses: records of transactions that are not open, or not known to the coordinator; all for topics that
    coordinators keep things in, as what is no record of theirs would be in their way.
Versions: 0 magic 0 and 1, which become a batch · 3 one batch of magic 2 (KIP-98) · 4 knows storage
    errors · 7 zstd · 8 errors per record (KIP-467) · 11 TRANSACTION_ABORTABLE, 12 producing adds to the
    transaction (KIP-890) · 13 topic ids (KIP-516)
"""

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any, NamedTuple

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.delayed_produce import all_failed, wait_for_replicas
from barnabas.broker.purgatory.pending import Pending
from barnabas.broker.replicas.append_errors import refused
from barnabas.broker.replicas.delayed_acks import wait_for_acks
from barnabas.broker.replicas.repeated_append import AppendTraits, RepeatedAppend, repeated_append
from barnabas.dialects.dialect import ErrorWithoutResponse
from barnabas.errors import ErrorCode
from barnabas.protocol.produce import (
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceResponse,
)
from barnabas.records.codecs.compression import Codec
from barnabas.replication.acknowledgement import ALL
from barnabas.versions import VersionRange, VersionTable


class _Rules(NamedTuple):
    """`highest_codec`: the newest in which batches may be compressed: zstd since KIP-110.

    `message_sets`: whether messages of magic 0 and 1 are taken, which end with version 3 (KIP-98): from
    then on a request is not understood where it is not one batch of magic 2 for each partition.
    """

    highest_codec: Codec
    message_sets: bool


_BY_VERSION = VersionTable(
    {
        0: _Rules(Codec.LZ4, message_sets=True),
        3: _Rules(Codec.LZ4, message_sets=False),
        7: _Rules(Codec.ZSTD, message_sets=False),
    }
)
_RULES = [_BY_VERSION[version] for version in VersionRange.parse("0-13")]
_TOOLS = "__admin_client"
"""The client id that may write into all topics, as with Kafka: tools for repairs have it."""
_KNOWN_ACKS = frozenset({0, 1, -1})

_Judge = Callable[[Broker, ProduceRequest, int], Mapping[int, PartitionProduceResponse]]
_Finish = Callable[
    [Broker, RequestContext, ProduceRequest, ProduceResponse],
    ProduceResponse | RepeatedAppend | Pending,
]


def handle(
    broker: Broker, context: RequestContext, request: ProduceRequest
) -> ProduceResponse | RepeatedAppend | Pending:
    """Append; the response counts once the replicas have written."""
    if request.acks not in _KNOWN_ACKS:
        takes_any = broker.profile.any_acks[context.api_version]
        return (
            _append(broker, context, request, {}, _finished_as_0_8)
            if takes_any
            else _refused(request)
        )
    if request.transactional_id is None:
        return _outcome(broker, context, request, {})
    version = context.api_version
    if broker.member is None:
        return _outcome(broker, context, request, _judge()(broker, request, version))
    append = partial(_outcome, broker, context, request)
    outcome: ProduceResponse | Pending = _verified()(broker, request, version, append)
    return outcome


def _outcome(
    broker: Broker,
    context: RequestContext,
    request: ProduceRequest,
    refusals: Mapping[int, PartitionProduceResponse],
) -> ProduceResponse | RepeatedAppend | Pending:
    """Append what is not refused; with acks=-1 the replicas in sync are waited for."""
    return _append(broker, context, request, refusals, _finished)


def _append(
    broker: Broker,
    context: RequestContext,
    request: ProduceRequest,
    refusals: Mapping[int, PartitionProduceResponse],
    finish: _Finish,
) -> ProduceResponse | RepeatedAppend | Pending:
    """What `finish` returns when all is appended that is not refused."""
    highest_codec, message_sets = _RULES[context.api_version]
    appending = broker.replicas.append(
        request,
        refusals,
        highest_codec=highest_codec,
        message_sets=message_sets,
        to_internal=context.client_id == _TOOLS,
    )
    try:
        first = next(appending)
    except StopIteration as end:
        return finish(broker, context, request, end.value)
    finishing = partial(finish, broker, context, request)
    outcome: ProduceResponse | Pending = _in_steps()(broker, request, appending, first, finishing)
    return outcome


def _finished(
    broker: Broker, context: RequestContext, request: ProduceRequest, response: ProduceResponse
) -> ProduceResponse | RepeatedAppend | Pending:
    """What is returned for records that are queued; with acks=-1 the replicas in sync are waited for."""
    rules = _RULES[context.api_version]
    if not broker.profile.tells_records:
        _without_invalid_record(response, closes=not rules.message_sets)
    repeats = _is_of_one_batch(request) and not rules.message_sets
    size = len(request.topic_data[0].partition_data[0].records or b"") if repeats else 0
    outcome: ProduceResponse | Pending = response
    if request.acks == ALL and broker.member is not None:
        outcome = wait_for_acks(broker.replicas, broker.purgatory, request, response)
    if not repeats:
        return outcome
    traits = AppendTraits(request.acks, rules.highest_codec, size)
    return repeated_append(broker.replicas, request.topic_data[0], outcome, response, traits)


def _is_of_one_batch(request: ProduceRequest) -> bool:
    """Whether it is for one partition, answered, and in no transaction."""
    topics = request.topic_data
    return (
        len(topics) == 1
        and len(topics[0].partition_data) == 1
        and request.acks != 0
        and request.transactional_id is None
    )


@cache
def _judge() -> _Judge:
    # Imported late: a broker starts faster without it, and most never need it. Once, as the
    # statement takes its time for what is imported already, too.
    from barnabas.broker.requests.transactional_produce import refused_in_transaction

    return refused_in_transaction


@cache
def _verified() -> Callable[..., Any]:
    # Imported late, as above.
    from barnabas.broker.requests.verified_produce import append_verified

    return append_verified


@cache
def _in_steps() -> Callable[..., Any]:
    # Imported late, as above.
    from barnabas.broker.requests.long_produce import append_in_steps

    return append_in_steps


def _refused(request: ProduceRequest) -> ProduceResponse:
    """The response to a request with invalid acks."""
    code = ErrorCode.INVALID_REQUIRED_ACKS
    message = f"acks must be 0, 1 or -1, not {request.acks}"
    return ProduceResponse(
        responses=[
            TopicProduceResponse(
                name=topic.name,
                topic_id=topic.topic_id,
                partition_responses=[
                    refused(one.index, code, message) for one in topic.partition_data
                ],
            )
            for topic in request.topic_data
            if topic.partition_data
        ]
    )


def _finished_as_0_8(
    broker: Broker, context: RequestContext, request: ProduceRequest, response: ProduceResponse
) -> ProduceResponse | Pending:
    """All negative numbers mean all replicas. 0.8.2 waits in vain for more than there are, no other does."""
    del context
    _without_invalid_record(response, closes=False)
    if broker.member is not None:
        return wait_for_acks(broker.replicas, broker.purgatory, request, response)
    enough = request.acks < 0 or not broker.profile.waits_for_acks
    if enough or all_failed(response):
        return response
    partitions = broker.replicas.partitions_of(request)
    return wait_for_replicas(broker.purgatory, partitions, request, response)


def _without_invalid_record(response: ProduceResponse, *, closes: bool) -> None:
    """Say it as before Kafka 2.4: records are corrupt, and what is no single batch is no request.

    Raises:
        ErrorWithoutResponse: there is something else than one batch.
    """
    for topic in response.responses:
        answers = topic.partition_responses
        for number, answer in enumerate(answers):
            if answer.error_code == ErrorCode.INVALID_RECORD:
                if closes and not answer.record_errors:
                    raise ErrorWithoutResponse(str(answer.error_message))
                answers[number] = refused(answer.index, ErrorCode.CORRUPT_MESSAGE)
