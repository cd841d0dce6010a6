"""ListTransactions (key 66): the transactional ids of this coordinator (KIP-664).

Does: those in one of the states, of one of the producers, open for so long, with a name that matches
    as a whole; states that there are not are told.
Refuses: a pattern that is none in the syntax of RE2.
Versions: 1 open for longer than some time (KIP-994) · 2 pattern of names (KIP-1152)
"""

from collections.abc import Callable

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.coordinators.consumer_group.regexes import compiled
from barnabas.coordinators.transaction.transaction import Transaction
from barnabas.coordinators.transaction.transaction_states import TransactionState as State
from barnabas.errors import BrokerError, ErrorCode
from barnabas.protocol.list_transactions import (
    ListTransactionsRequest,
    ListTransactionsResponse,
    TransactionState,
)

_NAMES = frozenset(one.value for one in State)


def handle(
    broker: Broker, context: RequestContext, request: ListTransactionsRequest
) -> ListTransactionsResponse:
    """List them, sorted by name."""
    del context
    unknown = [one for one in request.state_filters if one not in _NAMES]
    try:
        wanted = _filter(request, broker.clock.time_ms())
        known = [one for one in broker.transactions.all() if wanted(one)]
    except BrokerError as error:
        return _refused(error.code)
    return ListTransactionsResponse(
        error_code=ErrorCode.NONE,
        unknown_state_filters=unknown,
        transaction_states=[
            TransactionState(
                transactional_id=one.transactional_id,
                producer_id=one.producer.id,
                transaction_state=one.state.value,
            )
            for one in sorted(known, key=lambda each: each.transactional_id)
        ],
    )


def _filter(request: ListTransactionsRequest, now_ms: int) -> Callable[[Transaction], bool]:
    states, producers = set(request.state_filters), set(request.producer_id_filters)
    longer_ms = request.duration_filter
    regex = request.transactional_id_pattern
    pattern = compiled(regex) if regex else None

    def wanted(one: Transaction) -> bool:
        return (
            (not states or one.state.value in states)
            and (not producers or one.producer.id in producers)
            and (longer_ms < 0 or now_ms - one.started_ms > longer_ms)
            and (pattern is None or bool(pattern.fullmatch(one.transactional_id)))
        )

    return wanted


def _refused(code: ErrorCode) -> ListTransactionsResponse:
    return ListTransactionsResponse(
        error_code=code, unknown_state_filters=[], transaction_states=[]
    )
