from collections.abc import Iterator
from pathlib import Path

import pytest

from barnabas.broker.transactions.producer_ids import ProducerIds
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
    transactions.attend()
    states = {one.transactional_id: one.state for one in transactions.all()}
    assert states["used up"] is TransactionState.ONGOING
    assert states["new"] is not TransactionState.ONGOING


def test_what_is_overdue_when_the_broker_starts_is_not_aborted_at_once(started: Started) -> None:
    """As in Kafka: `transaction.abort.timed.out.transaction.cleanup.interval.ms` after the start."""
    transactions = started.broker.transactions
    transactions._shards.of("new").shard.replay(*overdue("new", 0))
    transactions.resume()
    assert [one.state for one in transactions.all()] == [TransactionState.ONGOING]
    transactions.attend()
    assert [one.state for one in transactions.all()] != [TransactionState.ONGOING]
