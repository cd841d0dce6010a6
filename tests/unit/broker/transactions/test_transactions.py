from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from barnabas.broker.transactions.producer_ids import ProducerIds
from barnabas.broker.transactions.transactions import Transactions
from barnabas.coordinators.common.shard import CoordinatorRecord
from barnabas.coordinators.transaction.transaction import (
    LAST_EPOCH,
    VERSION_2,
    ProducerIdAndEpoch,
    Transaction,
)
from barnabas.coordinators.transaction.transaction_records import encode_transaction
from barnabas.coordinators.transaction.transaction_states import TransactionState
from barnabas.errors import StorageError
from tests.unit.broker.groups.test_offsets import Started


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Started]:
    one = Started(tmp_path)
    yield one
    one.stop()


def every(transactions: Transactions) -> list[Transaction]:
    return [one for held in transactions._shards.loaded() for one in held.shard.all()]


def overdue(name: str, epoch: int) -> CoordinatorRecord:
    """The record of a transaction that is open for longer than its producer allowed."""
    known = Transaction(
        transactional_id=name,
        producer=ProducerIdAndEpoch(epoch, epoch),
        timeout_ms=1,
        state=TransactionState.ONGOING,
        updated_ms=0,
        started_ms=0,
        client_version=VERSION_2,
    )
    return encode_transaction(known, 1)


def test_a_shard_without_new_ids_is_no_matter_of_the_others(
    started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_self: ProducerIds) -> int:
        raise StorageError("the registry is gone")

    monkeypatch.setattr(ProducerIds, "next", fail)
    transactions = started.broker.transactions
    shards = transactions._shards
    first, second = shards.of("used up"), shards.of("new")
    assert first.partition is not second.partition
    for held, name, epoch in ((first, "used up", LAST_EPOCH), (second, "new", 0)):
        held.shard.replay(*overdue(name, epoch))
    [*transactions.attend()]
    states = {one.transactional_id: one.state for one in every(transactions)}
    assert states["used up"] is TransactionState.ONGOING
    assert states["new"] is not TransactionState.ONGOING


def test_what_is_overdue_together_is_aborted_one_by_one(started: Started) -> None:
    """Thousands of them, each with many partitions, held up all others."""
    transactions = started.broker.transactions
    names = [f"t{number}" for number in range(20)]
    for number, name in enumerate(names):
        transactions._shards.of(name).shard.replay(*overdue(name, number))

    def open_now() -> int:
        return sum(one.state is TransactionState.ONGOING for one in every(transactions))

    left = [20, *(open_now() for _ in transactions.attend())]
    assert [before - after for before, after in pairwise(left) if before != after] == [1] * 20
    assert left[-1] == 0


def test_ids_that_nobody_uses_are_forgotten_one_by_one(
    started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    transactions = started.broker.transactions
    for number in range(3):
        record = overdue(f"t{number}", number)
        transactions._shards.of(f"t{number}").shard.replay(*record)
    [*transactions.attend()]
    assert len(every(transactions)) == 3
    monkeypatch.setattr(transactions._shards, "now_ms", lambda: 2**62)
    counts = [len(every(transactions)) for _ in transactions.expire()]
    assert counts == [2, 1, 0]


def test_what_is_overdue_when_the_broker_starts_is_not_aborted_at_once(started: Started) -> None:
    """As in Kafka: `transaction.abort.timed.out.transaction.cleanup.interval.ms` after the start."""
    transactions = started.broker.transactions
    transactions._shards.of("new").shard.replay(*overdue("new", 0))
    [*transactions.resume()]
    assert [one.state for one in every(transactions)] == [TransactionState.ONGOING]
    [*transactions.attend()]
    assert [one.state for one in every(transactions)] != [TransactionState.ONGOING]
