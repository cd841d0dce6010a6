"""Transactional records at a member of a cluster, whose coordinator may be another broker (KIP-890).

The coordinator is asked while other requests go on. That partitions are in the transaction counts if
they have seen no end of one meanwhile: otherwise records might come behind it, and belong to none. Where
producing adds partitions each end has an epoch of its own, so that the records are refused by that.
"""

from collections.abc import Callable, Mapping
from functools import partial

from barnabas.broker.broker import Broker
from barnabas.broker.purgatory.pending import Pending, there
from barnabas.broker.requests.long_produce import keep_records
from barnabas.broker.requests.transactional_produce import (
    CheckedRequest,
    CoordinatorQuery,
    codes_for_client,
    judge,
    refusals_of,
)
from barnabas.coordinators.transaction.adding import AddRequest
from barnabas.coordinators.transaction.transaction import VERSION_2
from barnabas.errors import ErrorCode
from barnabas.protocol.produce import PartitionProduceResponse, ProduceRequest
from barnabas.types import TopicPartition

Codes = Mapping[TopicPartition, ErrorCode]
Append = Callable[[Mapping[int, PartitionProduceResponse]], object]
"""Appends what is not refused; returns the response, or a Pending of it."""


def append_verified(
    broker: Broker, request: ProduceRequest, version: int, append: Append
) -> object:
    """What `append` returns, or a Pending of that where the coordinator has to be asked."""
    judged = judge(broker, request, version)
    if judged.question is None:
        return append(judged.refusals)
    size = keep_records(request)
    if not broker.client_memory.fits(size):
        # There is no room for requests that wait: the client tries again.
        codes = dict.fromkeys(judged.question.partitions, ErrorCode.NOT_ENOUGH_REPLICAS)
        return append({**judged.refusals, **refusals_of(judged, codes)})
    broker.client_memory.passing_bytes += size
    pending = Pending()

    def on_answer(outcome: object) -> None:
        broker.client_memory.passing_bytes -= size
        codes: Codes = outcome  # type: ignore[assignment]  # A Pending gives what `ask` promises.
        pending.go_on(partial(_append, broker, judged, codes, append))

    ask(broker, judged.question).on_done(on_answer)
    return pending


def _append(broker: Broker, judged: CheckedRequest, codes: Codes, append: Append) -> object:
    outcome = append({**judged.refusals, **refusals_of(judged, codes)})
    broker.replicas.write()
    return outcome


def ask(broker: Broker, question: CoordinatorQuery) -> Pending:
    """Whether a producer may write to partitions of this broker in its transaction; a code for each."""
    transactional_id, producer, partitions, support = question
    additions = broker.additions
    verifies = broker.config.transaction_partition_verification_enable and additions.can_ask
    if not support.adds and not verifies:
        return there(dict.fromkeys(partitions, ErrorCode.NONE))
    if not additions.can_ask:
        return there(dict.fromkeys(partitions, ErrorCode.TRANSACTION_ABORTABLE))
    before = _ends(broker, question)
    pending = Pending()

    def on_answer(outcome: object) -> None:
        codes: Codes = outcome  # type: ignore[assignment]  # As above.
        after = _ends(broker, question)
        guarded = {
            place: _ENDED if not (code or support.adds) and after[place] != before[place] else code
            for place, code in codes.items()
        }
        pending.complete(codes_for_client(guarded, support))

    addition = AddRequest(transactional_id, producer, partitions, VERSION_2)
    additions.ask(addition, verify_only=not support.adds).on_done(on_answer)
    return pending


_ENDED = ErrorCode.TRANSACTION_ABORTABLE


def _ends(broker: Broker, question: CoordinatorQuery) -> dict[TopicPartition, int]:
    """How many of the producer's transactions have ended in each partition; -1: it is not here."""
    found = {place: broker.replicas.find(*place) for place in question.partitions}
    return {
        place: one.log.producers.ends_of(question.producer.id) if one is not None else -1
        for place, one in found.items()
    }
