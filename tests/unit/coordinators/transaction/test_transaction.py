"""What a transactional id is next: what is given, what stays, and what no table allows."""

import pytest

from barnabas.coordinators.transaction.transaction import ProducerIdAndEpoch, Transaction
from barnabas.coordinators.transaction.transaction_states import (
    ABORTED,
    ADDED,
    COMMITTED,
    MARKED,
    ONGOING,
    PREPARE_COMMIT,
    TransactionInput,
    TransactionState,
)
from barnabas.types import TopicPartition

OPEN = Transaction(
    transactional_id="t",
    producer=ProducerIdAndEpoch(7, 3),
    timeout_ms=60_000,
    state=ONGOING,
    updated_ms=100,
    partitions=frozenset({TopicPartition("animals", 1)}),
    previous_id=5,
    next_id=9,
    started_ms=90,
    client_version=2,
)
CHANGES = {
    "producer": ProducerIdAndEpoch(8, 0),
    "next_id": 11,
    "timeout_ms": 0,
    "partitions": frozenset(),
    "started_ms": -1,
    "client_version": 0,
}


def test_what_is_not_given_stays_but_for_its_time_its_state_and_the_id_before() -> None:
    then = OPEN.after(COMMITTED, 200)
    assert type(then) is Transaction
    assert then == OPEN._replace(state=PREPARE_COMMIT, updated_ms=200, previous_id=7)


@pytest.mark.parametrize("name", CHANGES)
def test_each_may_be_given(name: str) -> None:
    then = OPEN.after(ADDED, 200, **{name: CHANGES[name]})  # type: ignore[arg-type]
    assert then == OPEN._replace(updated_ms=200, previous_id=7, **{name: CHANGES[name]})  # type: ignore[arg-type]


def test_a_move_that_is_not_in_the_table_fails() -> None:
    with pytest.raises(KeyError):
        OPEN.after(MARKED, 200)
    with pytest.raises(KeyError):
        OPEN.after(COMMITTED, 200).after(ABORTED, 300)


def test_states_and_what_moves_them_are_distinguished_by_identity() -> None:
    """Enum's own hash is a call of Python, and each step of a transaction looks some of them up."""
    for kind in (TransactionState, TransactionInput):
        assert vars(kind)["__hash__"] is object.__hash__
        assert "__eq__" not in vars(kind)
