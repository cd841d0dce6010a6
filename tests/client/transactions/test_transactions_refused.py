"""Transactions whose coordinator is slow, elsewhere, gone, or says no."""

import asyncio
from collections.abc import Coroutine, Iterator
from queue import SimpleQueue
from typing import Any

import pytest

from barnabas import ErrorCode, GroupMetadata, Producer, aio
from barnabas.errors import (
    AbortableError,
    ConnectionFailed,
    FatalError,
    LocalProtocolError,
    RequestTimeout,
)
from barnabas.protocol.api_keys import ApiKey
from barnabas.records.batches.batch import read_header
from tests.client.scripted_broker import TOPIC, TOPIC_ID, Call, Misdeed, answer, drop
from tests.client.transactions.scripted_coordinator import ScriptedCoordinator, refuse

QUICK: dict[str, object] = {"retry_backoff_ms": 1, "reconnect_backoff_ms": 1, "linger_ms": 0}
GROUP = GroupMetadata("g")
OF_VERSION = {
    1: (
        ApiKey.INIT_PRODUCER_ID,
        ApiKey.ADD_PARTITIONS_TO_TXN,
        ApiKey.PRODUCE,
        ApiKey.ADD_OFFSETS_TO_TXN,
        ApiKey.TXN_OFFSET_COMMIT,
        ApiKey.END_TXN,
    ),
    2: (ApiKey.INIT_PRODUCER_ID, ApiKey.PRODUCE, ApiKey.TXN_OFFSET_COMMIT, ApiKey.END_TXN),
}
"""What is asked in one transaction with records and offsets."""
CASES = [(version, api) for version, apis in OF_VERSION.items() for api in apis]
IN_TRANSACTION = [case for case in CASES if case[1] is not ApiKey.INIT_PRODUCER_ID]


def producer_of(broker: ScriptedCoordinator, **more: object) -> Producer:
    return Producer(bootstrap_servers=broker.address, transactional_id="x", **QUICK | more)


def one_transaction(producer: Producer, value: bytes = b"value") -> None:
    with producer.transaction():
        producer.send(TOPIC, value)
        producer.send_offsets_to_transaction({(TOPIC, 0): 7}, GROUP)


def outcomes(broker: ScriptedCoordinator) -> list[bool]:
    return [asked.committed for asked in broker.asked(ApiKey.END_TXN)]


@pytest.mark.parametrize("version", OF_VERSION)
def test_what_a_transaction_asks_for(version: int) -> None:
    with ScriptedCoordinator(version=version) as broker:
        with producer_of(broker, transaction_timeout_ms=4000) as producer:
            producer.init_transactions()
            for value in (b"first", b"second"):
                one_transaction(producer, value)
            with producer.transaction():
                pass  # Nobody needs to know.
        assert [broker.count(api) for api in OF_VERSION[version]] == [1] + [2] * (
            len(OF_VERSION[version]) - 1
        )
        assert broker.asked(ApiKey.INIT_PRODUCER_ID)[0].transaction_timeout_ms == 4000
        assert outcomes(broker) == [True, True]
        headers = [read_header(batch) for batch in broker.batches]
        numbers = [(each.producer_epoch, each.base_sequence) for each in headers]
        assert numbers == ([(0, 0), (0, 1)] if version == 1 else [(0, 0), (1, 0)])
        assert all(each.transactional for each in headers)


@pytest.mark.parametrize(("version", "api"), [(1, ApiKey.FIND_COORDINATOR), *CASES])
@pytest.mark.parametrize(
    "misdeed",
    [
        drop,
        refuse(ErrorCode.NOT_COORDINATOR),
        refuse(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS),
        refuse(ErrorCode.CONCURRENT_TRANSACTIONS),
    ],
    ids=["dropped", "elsewhere", "loading", "concurrent"],
)
def test_what_passes_is_tried_again(version: int, api: ApiKey, misdeed: Misdeed) -> None:
    with ScriptedCoordinator({api: [misdeed, misdeed]}, version=version) as broker:
        with producer_of(broker) as producer:
            producer.init_transactions()
            one_transaction(producer)
        assert broker.count(api) >= 3
        assert outcomes(broker)[-1] is True


@pytest.mark.parametrize(("version", "api"), IN_TRANSACTION)
def test_a_transaction_that_is_to_be_aborted_leaves_a_producer_that_goes_on(
    version: int, api: ApiKey
) -> None:
    misdeeds = {api: [refuse(ErrorCode.TRANSACTION_ABORTABLE)]}
    with ScriptedCoordinator(misdeeds, version=version) as broker:
        with producer_of(broker) as producer:
            producer.init_transactions()
            with pytest.raises(AbortableError, match="TRANSACTION_ABORTABLE"):
                one_transaction(producer)
            one_transaction(producer, b"next")
        assert outcomes(broker)[-2:] == [False, True]


@pytest.mark.parametrize(("version", "api"), IN_TRANSACTION)
@pytest.mark.parametrize("code", [ErrorCode.PRODUCER_FENCED, ErrorCode.INVALID_PRODUCER_EPOCH])
def test_a_fenced_producer_says_so_whatever_it_asked(
    version: int, api: ApiKey, code: ErrorCode
) -> None:
    with ScriptedCoordinator({api: [refuse(code)]}, version=version) as broker:
        with producer_of(broker) as producer:
            producer.init_transactions()
            with pytest.raises(FatalError, match="another producer has started") as raised:
                one_transaction(producer)
            assert raised.value.code is code
            with pytest.raises(FatalError):
                producer.begin_transaction()
        assert True not in outcomes(broker)[:-1]


def test_a_producer_that_is_refused_at_its_beginning_says_why() -> None:
    misdeeds = {ApiKey.INIT_PRODUCER_ID: [refuse(ErrorCode.INVALID_TRANSACTION_TIMEOUT)]}
    with (
        ScriptedCoordinator(misdeeds) as broker,
        producer_of(broker) as producer,
        pytest.raises(FatalError, match="INVALID_TRANSACTION_TIMEOUT"),
    ):
        producer.init_transactions()


@pytest.fixture
def lossy() -> Iterator[tuple[ScriptedCoordinator, Producer]]:
    """A producer amid its first transaction, and its broker, by version 1."""
    with ScriptedCoordinator() as broker, producer_of(broker) as producer:
        producer.init_transactions()
        producer.begin_transaction()
        yield broker, producer


def test_after_a_record_was_lost_the_next_transaction_has_another_epoch(
    lossy: tuple[ScriptedCoordinator, Producer],
) -> None:
    broker, producer = lossy
    broker.misdeeds[ApiKey.PRODUCE] = [refuse(ErrorCode.INVALID_RECORD)]
    producer.send(TOPIC, b"lost")
    with pytest.raises(AbortableError, match="INVALID_RECORD"):
        producer.commit_transaction()
    producer.abort_transaction()
    first, second = broker.asked(ApiKey.INIT_PRODUCER_ID)
    assert (first.producer_id, first.producer_epoch) == (-1, -1)
    assert (second.producer_id, second.producer_epoch) == (5, 0)
    one_transaction(producer)
    header = read_header(broker.batches[-1])
    assert (header.producer_epoch, header.base_sequence) == (1, 0)
    assert outcomes(broker) == [False, True]


async def given_up(call: Coroutine[Any, Any, None], held: "SimpleQueue[Call]") -> Call:
    """Begin a call and stop waiting for it; what the broker was asked, and has not answered."""
    calling = asyncio.ensure_future(call)
    asked = await asyncio.to_thread(held.get, timeout=20)
    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling
    return asked


def test_a_commit_that_nobody_answered_may_be_called_again() -> None:
    async def write(broker: ScriptedCoordinator) -> None:
        async with aio.Producer(bootstrap_servers=broker.address, transactional_id="x") as producer:
            await producer.init_transactions()
            await producer.begin_transaction()
            await (await producer.send(TOPIC, b"value"))
            asked = await given_up(producer.commit_transaction(), held)
            with pytest.raises(LocalProtocolError, match="is committing: call commit_transaction"):
                await producer.abort_transaction()
            with pytest.raises(LocalProtocolError, match="is committing"):
                await producer.begin_transaction()
            answer(asked)
            await producer.commit_transaction()

    held: SimpleQueue[Call] = SimpleQueue()
    with ScriptedCoordinator({ApiKey.END_TXN: [held.put]}) as broker:
        asyncio.run(write(broker))
        assert outcomes(broker) == [True, True]


def test_a_commit_that_waits_for_records_can_be_given_up() -> None:
    async def write(broker: ScriptedCoordinator) -> None:
        async with aio.Producer(bootstrap_servers=broker.address, transactional_id="x") as producer:
            await producer.init_transactions()
            await producer.begin_transaction()
            delivery = await producer.send(TOPIC, b"value")
            asked = await given_up(producer.commit_transaction(), held)
            with pytest.raises(LocalProtocolError, match="^send: .* flushing for a commit"):
                _ = await producer.send(TOPIC, b"late")
            answer(asked)
            await delivery
            await producer.abort_transaction()
            async with producer.transaction():
                _ = await producer.send(TOPIC, b"next")

    held: SimpleQueue[Call] = SimpleQueue()
    with ScriptedCoordinator({ApiKey.PRODUCE: [held.put]}) as broker:
        asyncio.run(write(broker))
        assert outcomes(broker) == [False, True]


def test_who_could_not_begin_in_time_may_try_again() -> None:
    with ScriptedCoordinator() as broker:
        address = broker.address
    with Producer(bootstrap_servers=address, transactional_id="x", max_block_ms=50) as producer:
        for _ in range(2):
            # In so little time the connection may not even have been refused.
            with pytest.raises((ConnectionFailed, RequestTimeout)):
                producer.init_transactions()


def test_what_may_not_have_begun_can_be_aborted(
    lossy: tuple[ScriptedCoordinator, Producer],
) -> None:
    """The response to the first request was lost, so it is unknown whether there is a transaction."""
    broker, producer = lossy
    refused = refuse(ErrorCode.TRANSACTIONAL_ID_NOT_FOUND)
    broker.misdeeds |= {
        ApiKey.ADD_OFFSETS_TO_TXN: [drop, refused],
        ApiKey.END_TXN: [refuse(ErrorCode.INVALID_TXN_STATE), answer],
    }
    with pytest.raises(AbortableError, match="send_offsets_to_transaction"):
        producer.send_offsets_to_transaction({(TOPIC, 0): 7}, GROUP)
    producer.abort_transaction()
    one_transaction(producer)
    assert outcomes(broker) == [False, True]


def test_offsets_go_by_the_ids_that_the_consumer_knew_and_by_name_where_those_are_unknown() -> None:
    group = GroupMetadata("g", topic_ids={TOPIC: TOPIC_ID})
    stale: dict[ApiKey, list[Misdeed]] = {
        ApiKey.TXN_OFFSET_COMMIT: [refuse(ErrorCode.UNKNOWN_TOPIC_ID)]
    }
    with ScriptedCoordinator(misdeeds=stale, version=2) as broker:
        with producer_of(broker) as producer:
            producer.init_transactions()
            for _ in range(2):
                with producer.transaction():
                    producer.send_offsets_to_transaction({(TOPIC, 0): 7}, group)
        asked = [topic for each in broker.asked(ApiKey.TXN_OFFSET_COMMIT) for topic in each.topics]
        by_id, by_name = ("", TOPIC_ID), (TOPIC, bytes(16))
        assert [(topic.name, topic.topic_id) for topic in asked] == [by_id, by_name, by_id]


def test_offsets_go_by_name_in_transactions_of_version_1() -> None:
    group = GroupMetadata("g", topic_ids={TOPIC: TOPIC_ID})
    with ScriptedCoordinator(version=1) as broker:
        with producer_of(broker) as producer:
            producer.init_transactions()
            with producer.transaction():
                producer.send_offsets_to_transaction({(TOPIC, 0): 7}, group)
        (asked,) = broker.asked(ApiKey.TXN_OFFSET_COMMIT)
        assert [topic.name for topic in asked.topics] == [TOPIC]
