"""Produce (key 0): append record sets to partitions this broker leads.

Does: checks acks, which may be any number in version 0, as in 0.8 (see `Profile`): more than there are
    in-sync replicas are not waited for; appends what passes, each partition by itself; answers when it is
    written.
Ignores: `timeout_ms` and the difference of acks=1 and acks=-1: with one replica all have written what
    the leader has.
Refuses: records of transactions that are not open, or not known to the coordinator; all for topics that
    coordinators keep things in, as what is no record of theirs would be in their way.
Versions: 0 magic 0 and 1, which become a batch · 3 one batch of magic 2 (KIP-98) · 4 knows storage
    errors · 7 zstd · 8 errors per record (KIP-467) · 11 TRANSACTION_ABORTABLE, 12 producing adds to the
    transaction (KIP-890) · 13 topic ids (KIP-516)
"""

from collections.abc import Callable, Mapping
from functools import cache

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.delayed_produce import DelayedProduce, out_of_time
from barnabas.broker.purgatory.purgatory import Pending
from barnabas.dialects.commands import Appended, Produce
from barnabas.dialects.dialect import OnlyByClosing
from barnabas.errors import ErrorCode
from barnabas.versions import VersionTable

_CLOSES = VersionTable({0: False, 3: True})
"""Versions whose request is not understood where it is not one batch of magic 2 for each partition."""
_TOOLS = "__admin_client"
"""Who may write into all topics, as with Kafka: the client id of tools for repairs."""
_KNOWN_ACKS = frozenset({0, 1, -1})

_Judge = Callable[[Broker, Produce, int], Mapping[int, Appended]]


def handle(broker: Broker, context: RequestContext, produce: Produce) -> list[Appended] | Pending:
    """Append; the answers count once the replicas have written."""
    if produce.acks not in _KNOWN_ACKS:
        takes_any = broker.profile.any_acks[context.api_version]
        if takes_any:
            return _append_as_0_8(broker, context, produce)
        refused = Appended(
            ErrorCode.INVALID_REQUIRED_ACKS, message=f"acks must be 0, 1 or -1, not {produce.acks}"
        )
        return [refused] * len(produce.appends)
    answers = _append(broker, context, produce)
    if not broker.profile.tells_records:
        _without_invalid_record(answers, closes=_CLOSES[context.api_version])
    return answers


def _append(broker: Broker, context: RequestContext, produce: Produce) -> list[Appended]:
    refused: Mapping[int, Appended] = {}
    if produce.transactional_id is not None:
        refused = _judge()(broker, produce, context.api_version)
    return broker.replicas.append(produce, refused, to_internal=context.client_id == _TOOLS)


@cache
def _judge() -> _Judge:
    # Imported late: a broker starts faster without it, and most never need it. Once, as the
    # statement takes its time for what is imported already, too.
    from barnabas.broker.requests.transactional_produce import refused_in_transaction

    return refused_in_transaction


def _append_as_0_8(
    broker: Broker, context: RequestContext, produce: Produce
) -> list[Appended] | Pending:
    """All negative numbers mean all replicas. 0.8.2 waits in vain for more than there are, no other does."""
    answers = broker.replicas.append(produce, to_internal=context.client_id == _TOOLS)
    _without_invalid_record(answers, closes=False)
    enough = produce.acks < 0 or not broker.profile.waits_for_acks
    if enough or all(answer.error for answer in answers):
        return answers
    pending = Pending()
    found = [broker.replicas.find(one.topic, one.partition) for one in produce.appends]
    # They are views of what the connection receives into, and the request waits with its answer.
    produce.appends[:] = [append._replace(records=None) for append in produce.appends]
    broker.purgatory.park(
        DelayedProduce(lambda: pending.complete([out_of_time(answer) for answer in answers])),
        {partition for partition in found if partition is not None},
        max(produce.timeout_ms, 0) / 1000,
        pending,
    )
    return pending


def _without_invalid_record(answers: list[Appended], *, closes: bool) -> None:
    """Say it as before Kafka 2.4: records are corrupt, and what is no single batch is no request.

    Raises:
        OnlyByClosing: there is something else than one batch.
    """
    for index, answer in enumerate(answers):
        if answer.error == ErrorCode.INVALID_RECORD:
            if closes and not answer.record_errors:
                raise OnlyByClosing(str(answer.message))
            answers[index] = Appended(ErrorCode.CORRUPT_MESSAGE)
