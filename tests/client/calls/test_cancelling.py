"""With asyncio: what waits is ended from another task, by closing, waking or cancelling."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import suppress

import pytest

from barnabas import Consumer, RebalanceListener, TopicPartition, WakeupError, aio
from barnabas.errors import LocalProtocolError
from barnabas.testing.embedded_broker import EmbeddedBroker

WHERE = ("ended", 0)


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    quick = {"num.partitions": "1", "group.initial.rebalance.delay.ms": "0"}
    with EmbeddedBroker(quick) as broker:
        yield broker.bootstrap_servers


async def poll(reader: aio.Consumer) -> None:
    await reader.poll()


async def go_through(reader: aio.Consumer) -> None:
    async for _ in reader:
        pass


async def waiting(reader: aio.Consumer, how: str) -> "asyncio.Task[None]":
    """A task that has looked for records, found none and waits for more."""
    assert await reader.poll(timeout_s=0.3) == []
    task = asyncio.create_task(poll(reader) if how == "poll" else go_through(reader))
    for _ in range(5):
        await asyncio.sleep(0)
    assert not task.done()
    return task


@pytest.mark.parametrize("how", ["poll", "async for"])
@pytest.mark.parametrize("group", [None, "classic", "consumer"])
def test_closing_ends_what_waits(servers: str, how: str, group: str | None) -> None:
    async def main() -> None:
        more: dict[str, object] = {"bootstrap.servers": servers}
        if group is not None:
            more |= {"group.id": f"{group} {how}", "group.protocol": group}
        reader = aio.Consumer(more)
        if group is None:
            reader.assign([WHERE])
        else:
            reader.subscribe(["ended"])
        task = await waiting(reader, how)
        await reader.close()
        with pytest.raises(LocalProtocolError, match="closed"):
            await asyncio.wait_for(task, 20)

    asyncio.run(main())


@pytest.mark.parametrize("how", ["poll", "async for"])
def test_waking_ends_what_waits_and_it_may_go_on(servers: str, how: str) -> None:
    async def main() -> None:
        async with aio.Consumer(bootstrap_servers=servers) as reader:
            reader.assign([WHERE])
            task = await waiting(reader, how)
            reader.wakeup()
            with pytest.raises(WakeupError):
                await asyncio.wait_for(task, 20)
            assert await reader.poll(timeout_s=0.01) == []
            reader.wakeup()
            with pytest.raises(WakeupError):
                await reader.poll()

    asyncio.run(main())


def test_a_listener_goes_on_where_the_poll_is_cancelled(servers: str) -> None:
    async def main() -> None:
        received: list[str] = []
        begun, go_on = asyncio.Event(), asyncio.Event()

        class Slow(RebalanceListener):
            async def on_partitions_assigned(self, partitions: Sequence[TopicPartition]) -> None:
                received.append(f"notified of {len(partitions)}")
                begun.set()
                await go_on.wait()
                received.append("done")

        async with aio.Consumer(bootstrap_servers=servers, group_id="slow") as reader:
            reader.subscribe(["ended"], listener=Slow())
            first = asyncio.create_task(poll(reader))
            await asyncio.wait_for(begun.wait(), 20)
            first.cancel()
            with pytest.raises(asyncio.CancelledError):
                await first
            second = asyncio.create_task(reader.poll(timeout_s=0.1))
            for _ in range(5):
                await asyncio.sleep(0)
            assert not second.done()
            go_on.set()
            await asyncio.wait_for(second, 20)
        assert received == ["notified of 1", "done"]

    asyncio.run(main())


def test_a_transaction_that_is_cancelled_leaves_its_producer_usable(servers: str) -> None:
    turns = range(14)

    async def one(producer: aio.Producer, value: bytes, sent: asyncio.Event) -> None:
        async with producer.transaction():
            _ = await producer.send("ended", value)
            sent.set()

    async def main() -> None:
        async with aio.Producer(bootstrap_servers=servers, transactional_id="t") as producer:
            await producer.init_transactions()
            for count in turns:
                sent = asyncio.Event()
                task = asyncio.create_task(one(producer, b"cut", sent))
                await sent.wait()
                for _ in range(count):
                    await asyncio.sleep(0)
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
                await one(producer, b"whole", sent)

    asyncio.run(main())
    quiet = {"auto.offset.reset": "earliest", "isolation.level": "read_committed"}
    whole = 0
    with Consumer(quiet, bootstrap_servers=servers) as reader:
        reader.assign([WHERE])
        while whole < len(turns):
            whole += sum(record.value == b"whole" for record in reader.poll(timeout_s=20))
