"""What is found out before a transaction is aborted in one place, when it ends in between."""

import time
from collections.abc import Callable, Iterator

import click.testing
import pytest

from barnabas import Admin, NewTopic, Producer
from barnabas.cli.transactions.transactions import transactions
from barnabas.client.core.admin.transaction_descriptions import (
    HangingTransaction,
    TransactionListing,
)
from barnabas.errors import BrokerError, ConfigError, ErrorCode
from barnabas.testing.embedded_broker import EmbeddedBroker
from barnabas.types import TopicPartition


@pytest.fixture
def servers() -> Iterator[str]:
    with EmbeddedBroker() as broker:
        yield broker.bootstrap_servers


@pytest.fixture
def producer(servers: str) -> Iterator[Producer]:
    """One that has a transaction open in pups:0."""
    with Admin(bootstrap_servers=servers) as admin:
        admin.create_topics([NewTopic("pups", 1, 1)])
    with Producer(bootstrap_servers=servers, transactional_id="kennel") as made:
        made.init_transactions()
        made.begin_transaction()
        made.send("pups", b"rex").result()
        yield made


def abort(servers: str) -> BaseException | None:
    arguments = ["abort", "pups:0", "0", "-b", servers]
    return click.testing.CliRunner().invoke(transactions, arguments).exception


def after_hanging(patch: pytest.MonkeyPatch, what: Callable[[], object]) -> None:
    """Have something happen once it is known whether a transaction hangs."""
    real = Admin.hanging_transactions

    def hanging(
        admin: Admin, places: tuple[TopicPartition, ...], since: int
    ) -> list[HangingTransaction]:
        found = real(admin, places, since)
        what()
        return found

    patch.setattr(Admin, "hanging_transactions", hanging)


def test_one_that_has_ended_meanwhile_is_not_called_open(
    servers: str, producer: Producer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def commit() -> None:
        producer.commit_transaction()
        with Admin(bootstrap_servers=servers) as admin:
            while admin.list_transactions(states=("PrepareCommit",)):
                time.sleep(0.01)

    after_hanging(monkeypatch, commit)
    refused = abort(servers)
    assert isinstance(refused, BrokerError)
    assert (refused.code, refused.__notes__) == (
        ErrorCode.INVALID_TXN_STATE,
        ["none is open there"],
    )


def test_one_that_is_being_ended_is_left_to_its_coordinator(
    servers: str, producer: Producer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def listed(
        _: Admin, states: tuple[str, ...], producer_ids: list[int]
    ) -> list[TransactionListing]:
        (one,) = producer_ids
        state = "PrepareCommit"
        return [TransactionListing("kennel", one, state)] if state in states else []

    monkeypatch.setattr(Admin, "list_transactions", listed)
    refused = abort(servers)
    assert isinstance(refused, ConfigError)
    assert "it belongs to kennel, whose coordinator is ending it (PrepareCommit)" in str(refused)
    producer.commit_transaction()
