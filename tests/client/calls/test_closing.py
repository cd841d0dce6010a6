"""Ends of clients: after records that were refused, under other threads, after faults."""

import asyncio
import gc
import threading
import tracemalloc
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from barnabas import KafkaError, Producer, aio
from barnabas.client.core.producer.sender import Sender
from barnabas.errors import FatalError, LocalProtocolError
from barnabas.protocol.api_keys import ApiKey
from barnabas.testing.embedded_broker import EmbeddedBroker
from tests.client.scripted_broker import TOPIC, ScriptedBroker

REFUSED: tuple[dict[str, Any], ...] = (
    {"headers": [("name", "text")]},
    {"headers": [("\ud800", b"bytes")]},
    {"timestamp_ms": 2**63},
    {"timestamp_ms": 1.5},
    {"timestamp_ms": -1},
    {"value": [1]},
    {"key": 17},
)


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    with EmbeddedBroker({"num.partitions": "1"}) as broker:
        yield broker.bootstrap_servers


def test_a_producer_goes_on_and_ends_after_records_it_refused(servers: str) -> None:
    producer = Producer(bootstrap_servers=servers)
    assert producer.send("refused", b"first").result(20).offset == 0
    for number, arguments in enumerate(REFUSED, 1):
        with pytest.raises((TypeError, ValueError, OverflowError)):
            producer.send("refused", **arguments)
        producer.flush(20)
        assert producer.send("refused", b"next").result(20).offset == number
    with pytest.raises(TypeError):
        producer.send("refused", **REFUSED[0])
    producer.close(20)


def test_an_asyncio_producer_goes_on_and_ends_after_records_it_refused(servers: str) -> None:
    async def main() -> None:
        producer = aio.Producer(bootstrap_servers=servers)
        assert (await (await producer.send("refused-aio", b"first"))).offset == 0
        for number, arguments in enumerate(REFUSED, 1):
            with pytest.raises((TypeError, ValueError, OverflowError)):
                await (await producer.send("refused-aio", **arguments))
            await producer.flush(20)
            assert (await (await producer.send("refused-aio", b"next"))).offset == number
        with pytest.raises(TypeError):
            await (await producer.send("refused-aio", **REFUSED[0]))
        await producer.close(20)

    asyncio.run(main())


def test_every_record_of_threads_that_send_on_has_its_outcome_after_close(servers: str) -> None:
    producer = Producer(bootstrap_servers=servers)
    producer.send("busy", b"").result(20)
    sent: list[list[Any]] = [[], []]
    under_way = threading.Barrier(3)

    def send(mine: list[Any]) -> None:
        while True:
            try:
                mine.append(producer.send("busy", b"x"))
            except LocalProtocolError:
                return
            if len(mine) == 5000:
                under_way.wait(20)

    threads = [threading.Thread(target=send, args=(mine,)) for mine in sent]
    for thread in threads:
        thread.start()
    under_way.wait(20)
    producer.close(20)
    for thread in threads:
        thread.join(20)
    offsets = [each.result(0).offset for mine in sent for each in mine]
    assert sorted(offsets) == list(range(1, len(offsets) + 1))


def test_what_is_on_its_way_to_a_silent_broker_has_failed_after_close() -> None:
    came = threading.Event()
    with ScriptedBroker({ApiKey.PRODUCE: [lambda _: came.set()]}) as broker:
        producer = Producer(bootstrap_servers=broker.address, linger_ms=0)
        sent = producer.send(TOPIC, b"value")
        assert came.wait(20)
        with pytest.raises(KafkaError, match="still in flight"):
            producer.close(0.2)
        with pytest.raises(KafkaError, match="closed before"):
            sent.result(0)


def test_the_exception_of_a_block_is_not_replaced(servers: str) -> None:
    def block() -> None:
        with Producer(bootstrap_servers=servers, linger_ms=60_000) as producer:
            producer.send("block", b"value")
            raise LookupError("mine")

    async def aio_block() -> None:
        async with aio.Producer(bootstrap_servers=servers, linger_ms=60_000) as producer:
            waiting = await producer.send("block", b"value")
            assert not waiting.done()
            raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        block()
    with pytest.raises(LookupError, match="mine"):
        asyncio.run(aio_block())


@pytest.mark.parametrize("step", ["collect", "request", "answered"])
def test_a_fault_of_ours_fails_the_records_and_ends_the_producer(
    servers: str, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fault(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError("a fault")

    producer = Producer(bootstrap_servers=servers, linger_ms=60_000)
    sent = producer.send("faults", b"value")
    monkeypatch.setattr(Sender, step, fault)
    with pytest.raises(KafkaError, match="a fault"):
        producer.flush(20)
    with pytest.raises(FatalError, match="ZeroDivisionError: a fault"):
        sent.result(20)
    with pytest.raises(FatalError):
        producer.send("faults", b"value")
    producer.close(20)


def test_a_consumer_that_is_closed_right_after_assigning_leaves_nothing_unawaited(
    servers: str,
) -> None:
    where = [("closed-at-once", 0)]

    async def main() -> None:
        async with aio.Producer(bootstrap_servers=servers) as producer:
            await (await producer.send("closed-at-once", b"one"))
        async with aio.Consumer(bootstrap_servers=servers) as consumer:
            await consumer.beginning_offsets(where)
            consumer.assign(where)

    gc.collect()  # What other tests left is not meant.
    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always")
        asyncio.run(main())
        gc.collect()
    assert [str(one.message) for one in raised] == []


def test_a_closed_consumer_holds_no_responses(servers: str) -> None:
    """Without the garbage collector: it may take minutes to come by."""

    async def read() -> int:
        async with aio.Consumer(bootstrap_servers=servers) as consumer:
            consumer.assign([("spacious", 0)])
            consumer.seek_to_beginning()
            (first,) = await consumer.poll(20, 1)
            return len(first.value or b"")

    with Producer(bootstrap_servers=servers, max_request_size=1 << 20) as producer:
        for _ in range(3):
            producer.send("spacious", b"x" * 900_000).result(20)
    asyncio.run(read())  # The broker is in this process, and keeps buffers.
    gc.collect()
    gc.disable()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        assert asyncio.run(read()) == 900_000
        assert tracemalloc.get_traced_memory()[0] - before < 600_000
    finally:
        tracemalloc.stop()
        gc.enable()
