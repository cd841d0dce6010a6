"""ListTransactions (key 66): the transactional ids of this coordinator (KIP-664).

Does: filters by state, producer, duration and a pattern for whole names; reports unknown states.
Refuses: a pattern that is invalid in RE2 syntax.
Versions: 1 open for longer than some time (KIP-994) · 2 pattern of names (KIP-1152)
"""

from collections.abc import Callable

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.stepping import Steps, in_steps_while_connected
from barnabas.coordinators.consumer_group.regexes import Expression, compiled
from barnabas.coordinators.transaction.transaction import Transaction
from barnabas.coordinators.transaction.transaction_states import TransactionState as State
from barnabas.errors import BrokerError, ErrorCode
from barnabas.protocol.list_transactions import (
    ListTransactionsRequest,
    ListTransactionsResponse,
    TransactionState,
)
from barnabas.wire.growing import GrowingArray

_NAMES = frozenset(one.value for one in State)


@in_steps_while_connected
def handle(
    broker: Broker, context: RequestContext, request: ListTransactionsRequest
) -> Steps[ListTransactionsResponse]:
    """List them, sorted by name."""
    del context
    regex = request.transactional_id_pattern
    try:
        pattern = compiled(regex) if regex else None
        every = yield from broker.transactions.all()
        names = sorted(one.transactional_id for one in every)
    except BrokerError as error:
        return _refused(error.code)
    wanted = _filter(request, pattern, broker.clock.time_ms())
    known: GrowingArray[TransactionState] = GrowingArray()
    for name in names:
        # Reported as they are now: at the end they may be in another state than the requested one.
        one = broker.transactions.find(name)
        if one is not None and wanted(one):
            known.add(_listed(one))
        yield known
    return ListTransactionsResponse(
        error_code=ErrorCode.NONE,
        unknown_state_filters=[one for one in request.state_filters if one not in _NAMES],
        transaction_states=known.done(),
    )


def _listed(one: Transaction) -> TransactionState:
    return TransactionState(
        transactional_id=one.transactional_id,
        producer_id=one.producer.id,
        transaction_state=one.state.value,
    )


def _filter(
    request: ListTransactionsRequest, pattern: Expression | None, now_ms: int
) -> Callable[[Transaction], bool]:
    states, producers = set(request.state_filters), set(request.producer_id_filters)
    longer_ms = request.duration_filter

    def wanted(one: Transaction) -> bool:
        return (
            (not states or one.state.value in states)
            and (not producers or one.producer.id in producers)
            and (longer_ms < 0 or now_ms - one.started_ms > longer_ms)
            and (pattern is None or pattern.matches(one.transactional_id))
        )

    return wanted


def _refused(code: ErrorCode) -> ListTransactionsResponse:
    return ListTransactionsResponse(
        error_code=code, unknown_state_filters=[], transaction_states=[]
    )
