from itertools import product

import pytest

from barnabas.client.core.producer.delivery import DeliveryWaiter
from barnabas.client.core.producer.producer_batch import ProducerBatch
from barnabas.client.core.producer.transaction_states import (
    TRANSITIONS,
    WHAT_TO_DO,
    ProducerTransactionInput,
    ProducerTransactionState,
)
from barnabas.client.core.producer.transactions import ProducerTransactions
from barnabas.errors import (
    AbortableError,
    BrokerError,
    ErrorCode,
    FatalError,
    KafkaError,
    LocalProtocolError,
    RequestTimeout,
)
from barnabas.types import TopicPartition
from tests.sending_harness import Waits as NobodyWaits

A, B = TopicPartition("t", 0), TopicPartition("t", 1)
_S, _I = ProducerTransactionState, ProducerTransactionInput
LOST = BrokerError(ErrorCode.INVALID_RECORD, "no")


def at(state: ProducerTransactionState, version: int = 1) -> ProducerTransactions:
    """Transactions that stand there."""
    made = ProducerTransactions("x")
    made.state = state
    made.set_version(version)
    return made


def batch(sequence: int) -> ProducerBatch:
    waits: DeliveryWaiter = NobodyWaits()
    made = ProducerBatch(A, (1,), 0.0, 100, waits)
    made.sequence = sequence
    return made


@pytest.mark.parametrize(
    ("state", "happened"), list(product(ProducerTransactionState, ProducerTransactionInput))
)
def test_every_state_answers_every_input_by_the_table(
    state: ProducerTransactionState, happened: ProducerTransactionInput
) -> None:
    it = at(state)
    following = TRANSITIONS[state].get(happened)
    if following is not None:
        it.move(happened)
        assert it.state is following
        return
    kinds: dict[ProducerTransactionState, type[KafkaError]] = {
        _S.FAILED: AbortableError,
        _S.DEAD: FatalError,
    }
    with pytest.raises(kinds.get(state, LocalProtocolError), match=f"^{happened.value}: "):
        it.move(happened)
    assert it.state is state


def test_all_that_a_transaction_can_come_to_ends() -> None:
    """From each state there are calls and events that lead to where the next one begins."""
    ends = {_S.READY, _S.DEAD}
    while True:
        more = {
            state
            for state in ProducerTransactionState
            if ends.intersection(TRANSITIONS[state].values())
        }
        if more <= ends:
            break
        ends |= more
    assert ends == set(ProducerTransactionState)


def test_a_call_out_of_order_is_an_error_with_the_state_and_what_to_do() -> None:
    raised = {
        state: str(at(state).refusal(_I.INIT if state is not _S.NEW else _I.SEND))
        for state in WHAT_TO_DO
    }
    assert raised[_S.NEW] == (
        "send: the producer of transactional id 'x' is not initialised: "
        "call init_transactions first"
    )
    assert "is not in a transaction: call begin_transaction first" in raised[_S.READY]
    assert "is committing: call commit_transaction again" in raised[_S.COMMITTING]


def test_what_is_handed_over_is_not_aborted_by_its_producer() -> None:
    it = at(_S.OPEN, 2)
    it.move(_I.PREPARE)
    assert (it.state, it.sends, it.undecided) == (_S.FLUSHING, True, True)
    it.move(_I.HANDED_OVER)
    assert (it.state, it.sends, it.undecided) == (_S.PREPARED, False, False)
    with pytest.raises(
        LocalProtocolError, match="that it prepared: end it with Admin.end_transactions, then"
    ):
        it.move(_I.BEGIN)
    it.move(_I.INIT)
    assert it.state is _S.NEW


def test_by_version_1_partitions_are_added_first() -> None:
    it = at(_S.OPEN)
    assert not it.takes_part(A)
    assert not it.takes_part(B)
    assert (it.wanted, it.begun, it.confirmed) == ({A, B}, False, False)
    it.added([A])
    assert it.takes_part(A)
    assert not it.takes_part(B)
    assert (it.wanted, it.confirmed) == ({B}, True)
    it.over()
    assert not it.takes_part(A)
    assert not it.confirmed


def test_by_version_2_records_begin_it() -> None:
    it = at(_S.OPEN, 2)
    assert it.takes_part(A)
    assert (it.wanted, it.begun, it.confirmed) == (set(), True, True)


def test_what_is_lost_dooms_the_transaction_and_the_first_reason_counts() -> None:
    it = at(_S.OPEN)
    it.lost(batch(sequence=-1), LOST)
    it.lost(batch(sequence=5), RequestTimeout("late"))
    assert (it.doomed, it.sends, it.undecided, it.gap) == (True, False, True, True)
    with pytest.raises(
        AbortableError, match="call abort_transaction: INVALID_RECORD: no"
    ) as raised:
        it.move(_I.COMMIT)
    assert raised.value.code is ErrorCode.INVALID_RECORD
    assert not raised.value.retriable


def test_what_was_never_sent_leaves_no_gap() -> None:
    it = at(_S.OPEN)
    it.lost(batch(sequence=-1), LOST)
    assert not it.gap


def test_what_is_lost_while_it_is_aborted_changes_nothing_but_the_gap() -> None:
    it = at(_S.ABORTING)
    it.lost(batch(sequence=5), LOST)
    assert (it.state, it.gap) == (_S.ABORTING, True)


@pytest.mark.parametrize("state", [_S.OPEN, _S.FLUSHING, _S.COMMITTING, _S.FAILED, _S.ABORTING])
@pytest.mark.parametrize("code", [ErrorCode.PRODUCER_FENCED, ErrorCode.INVALID_PRODUCER_EPOCH])
def test_who_is_fenced_cannot_go_on(state: ProducerTransactionState, code: ErrorCode) -> None:
    it = at(state)
    it.takes_part(A)
    it.fail(BrokerError(code))
    it.fail(LOST)
    it.die(LOST)
    assert it.state is _S.DEAD
    assert not it.wanted
    with pytest.raises(
        FatalError, match="create a new one: it is fenced: another producer"
    ) as raised:
        it.move(_I.ABORT)
    assert (raised.value.code, raised.value.retriable) == (code, False)
    assert "ended the transaction from outside (`barnabas transactions abort`" in str(raised.value)
