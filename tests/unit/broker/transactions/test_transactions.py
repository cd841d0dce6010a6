from collections.abc import Callable, Iterator
from itertools import count, pairwise
from pathlib import Path

import pytest

from barnabas.broker.purgatory.admission import SLICE_SECONDS
from barnabas.broker.purgatory.stepping import Stepping
from barnabas.broker.transactions.markers import Ending, TransactionMarkers
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
from barnabas.errors import ErrorCode, StorageError
from barnabas.types import TopicPartition
from tests.unit.broker.groups.test_offsets import Started
from tests.unit.broker.in_memory import STEPS_A_SLICE
from tests.unit.runtime.manual_timers import ManualTimers


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Started]:
    one = Started(tmp_path)
    yield one
    one.stop()


def every(transactions: Transactions) -> list[Transaction]:
    return [one for held in transactions._shards.loaded() for one in held.shard.all()]


def overdue(
    name: str, epoch: int, partitions: frozenset[TopicPartition] = frozenset()
) -> CoordinatorRecord:
    """The record of a transaction that is open for longer than its producer allowed."""
    known = Transaction(
        transactional_id=name,
        producer=ProducerIdAndEpoch(epoch, epoch),
        timeout_ms=1,
        state=TransactionState.ONGOING,
        updated_ms=0,
        started_ms=0,
        client_version=VERSION_2,
        partitions=partitions,
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


def test_others_are_served_between_the_markers_of_a_large_transaction(
    started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten transactions over 10,000 partitions each, ended at once, took a turn of 3 s."""
    timers, ticks = ManualTimers(), count(0, SLICE_SECONDS / STEPS_A_SLICE)
    broker = started.broker
    broker.stepping = Stepping(broker.replicas.write, timers, ticks.__next__)
    transactions = broker.transactions
    marked: list[TopicPartition] = []
    write = TransactionMarkers.write

    def noted(
        markers: TransactionMarkers,
        place: TopicPartition,
        ending: Ending,
        on_written: Callable[[ErrorCode], None],
    ) -> None:
        marked.append(place)
        write(markers, place, ending, on_written)

    monkeypatch.setattr(TransactionMarkers, "write", noted)
    places = frozenset(TopicPartition("t", index) for index in range(12))
    transactions._shards.of("large").shard.replay(*overdue("large", 0, places))
    [*transactions.attend()]
    counts = [len(marked)]
    while timers.next:
        timers.run_turn()
        counts.append(len(marked))
        if counts[-1] < len(places):
            assert [one.state for one in every(transactions)] == [TransactionState.PREPARE_ABORT]
    assert counts[:3] == [5, 10, 12]
    assert [one.state for one in every(transactions)] == [TransactionState.COMPLETE_ABORT]
