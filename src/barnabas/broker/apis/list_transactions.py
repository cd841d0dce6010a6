"""ListTransactions (key 66): the transactional ids of this coordinator (KIP-664).

Does: those in one of the states, of one of the producers, open for so long, with a name that matches
    as a whole; states that there are not are told.
Refuses: a pattern that is none in the syntax of RE2.
Versions: 1 open for longer than some time (KIP-994) · 2 pattern of names (KIP-1152)
"""

from collections.abc import Callable, Iterable, Iterator

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory import Pending
from barnabas.coordinators.consumer_group.regexes import Expression, compiled
from barnabas.coordinators.transaction.transaction import Transaction
from barnabas.coordinators.transaction.transaction_states import TransactionState as State
from barnabas.errors import BrokerError, ErrorCode
from barnabas.protocol.list_transactions import (
    ListTransactionsRequest,
    ListTransactionsResponse,
    TransactionState,
)

_NAMES = frozenset(one.value for one in State)
_LONGEST_TOPIC = 250
"""Characters, about; transactional ids may have 32,767."""


def handle(
    broker: Broker, context: RequestContext, request: ListTransactionsRequest
) -> ListTransactionsResponse | Pending:
    """List them, sorted by name. A pattern that takes long is matched in steps."""
    del context
    regex = request.transactional_id_pattern
    try:
        pattern = compiled(regex) if regex else None
        everyone = broker.transactions.all()
    except BrokerError as error:
        return _refused(error.code)
    wanted = _filter(request, pattern, broker.clock.time_ms())
    known: list[TransactionState] = []

    def respond() -> ListTransactionsResponse:
        return _listed(request, known)

    if pattern is None or sum(map(_weight, everyone)) <= pattern.at_once:
        known += map(_told, filter(wanted, everyone))
        return respond()
    steps = _look(everyone, wanted, pattern.at_once, known)
    return broker.stepping.reply(steps, respond, ends_unheard=True)


def _look(
    everyone: Iterable[Transaction],
    wanted: Callable[[Transaction], bool],
    at_once: int,
    known: list[TransactionState],
) -> Iterator[None]:
    room = at_once
    for one in everyone:
        # Told as they are now: at the end they may be in another state than was asked for.
        if wanted(one):
            known.append(_told(one))
        room -= _weight(one)
        if room <= 0:
            room = at_once
            yield


def _weight(one: Transaction) -> int:
    """How many names of topics its name is as long as, at the least one."""
    return 1 + len(one.transactional_id) // _LONGEST_TOPIC


def _told(one: Transaction) -> TransactionState:
    return TransactionState(
        transactional_id=one.transactional_id,
        producer_id=one.producer.id,
        transaction_state=one.state.value,
    )


def _listed(
    request: ListTransactionsRequest, known: Iterable[TransactionState]
) -> ListTransactionsResponse:
    return ListTransactionsResponse(
        error_code=ErrorCode.NONE,
        unknown_state_filters=[one for one in request.state_filters if one not in _NAMES],
        transaction_states=sorted(known, key=lambda each: each.transactional_id),
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
