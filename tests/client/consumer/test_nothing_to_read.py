"""A consumer without an assignment: an error at once, as nothing would ever come."""

import asyncio
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from barnabas import Consumer, aio
from barnabas.errors import LocalProtocolError
from barnabas.testing.embedded_broker import EmbeddedBroker

WHY = "neither a subscription nor assigned partitions: call subscribe or assign"


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    with EmbeddedBroker({"num.partitions": "1"}) as broker:
        broker.create_topic("dogs")
        yield broker.bootstrap_servers


@pytest.fixture
def consumer(servers: str) -> Iterator[Consumer]:
    with Consumer(bootstrap_servers=servers, group_id="readers") as made:
        yield made


def refused(consumer: Consumer) -> None:
    """Each way to read is."""
    reads: tuple[Callable[[], Any], ...] = (
        consumer.poll,
        lambda: consumer.poll(0),
        consumer.fetch_arrow,
        lambda: next(iter(consumer)),
    )
    for read in reads:
        with pytest.raises(LocalProtocolError, match=WHY):
            read()


def test_before_it_has_an_assignment(servers: str) -> None:
    with Consumer(bootstrap_servers=servers) as alone:
        refused(alone)
        alone.assign([("dogs", 0)])
        assert alone.poll(0) == []


@pytest.mark.parametrize("topics", [["dogs"], ["yet-to-be-made"], re.compile("of-no-topic.*")])
def test_a_subscription_is_enough_and_its_end_is_an_end(
    consumer: Consumer, topics: list[str] | re.Pattern[str]
) -> None:
    refused(consumer)
    consumer.subscribe(topics)
    assert consumer.poll(0) == []
    assert len(consumer.fetch_arrow(0)) == 0
    consumer.unsubscribe()
    refused(consumer)


def test_nothing_at_all_is_no_subscription_and_no_assignment(consumer: Consumer) -> None:
    consumer.assign([("dogs", 0)])
    consumer.assign([])
    refused(consumer)
    consumer.subscribe([])
    refused(consumer)
    consumer.subscribe(["dogs"])
    assert consumer.poll(0) == []


def test_who_is_closed_hears_that(servers: str) -> None:
    closed = Consumer(bootstrap_servers=servers)
    closed.close()
    with pytest.raises(LocalProtocolError, match="closed"):
        closed.poll(0)


def test_with_asyncio_it_is_the_same(servers: str) -> None:
    async def main() -> None:
        async with aio.Consumer(bootstrap_servers=servers, group_id="others") as reader:
            for _ in range(2):
                for read in (reader.poll, reader.fetch_arrow, lambda: anext(aiter(reader))):
                    with pytest.raises(LocalProtocolError, match=WHY):
                        await read()
                reader.subscribe(["dogs"])
                assert await reader.poll(0) == []
                await reader.unsubscribe()
        with pytest.raises(LocalProtocolError, match="closed"):
            await reader.poll(0)

    asyncio.run(main())
