"""Sync clients that were not closed: they warn, and leave no thread and no connection."""

import asyncio
import gc
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from barnabas import Admin, ConfigError, Consumer, Producer, aio
from barnabas.errors import LocalProtocolError
from barnabas.protocol.api_keys import ApiKey
from tests.client.scripted_broker import TOPIC, ScriptedBroker, say_nothing


@pytest.fixture
def broker() -> Iterator[ScriptedBroker]:
    with ScriptedBroker({ApiKey.PRODUCE: [say_nothing]}) as running:
        yield running


def the_threads_of_producers() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name == "this Producer"}


def test_a_dropped_producer_ends_its_thread_and_fails_what_is_on_its_way(
    broker: ScriptedBroker,
) -> None:
    before = the_threads_of_producers()
    producer = Producer(bootstrap_servers=broker.address, linger_ms=0)
    delivery = producer.send(TOPIC, b"value")
    (thread,) = the_threads_of_producers() - before
    with pytest.warns(ResourceWarning, match=r"a Producer was dropped without close\(\)"):
        del producer
    thread.join(20)
    assert not thread.is_alive()
    with pytest.raises(LocalProtocolError, match="dropped without close"):
        delivery.result(20)
    broker.wait_until_left()


@pytest.mark.parametrize("kind", [Consumer, Admin])
def test_a_dropped_client_of_the_callers_thread_leaves_the_broker(
    broker: ScriptedBroker, kind: type[Consumer] | type[Admin]
) -> None:
    client = kind(bootstrap_servers=broker.address)
    if isinstance(client, Consumer):
        assert len(client.partitions_for(TOPIC)) == 1
    else:
        assert client.list_topics() == [TOPIC]
    with pytest.warns(ResourceWarning, match=rf"{kind.__name__} was dropped without close\(\)"):
        del client
    broker.wait_until_left()


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
def test_a_client_that_could_not_be_made_drops_nothing() -> None:
    before = the_threads_of_producers()
    for kind in (Producer, Consumer, Admin):
        with pytest.raises(ConfigError, match="security"):
            kind(security_protocol="SSL")
        gc.collect()
    assert the_threads_of_producers() <= before


@pytest.mark.parametrize("kind", [Producer, Consumer, Admin, aio.Producer, aio.Consumer, aio.Admin])
@pytest.mark.parametrize("settings", [{}, {"bootstrap.servers": ""}, {"bootstrap.servers": []}])
def test_a_client_without_servers_says_what_to_pass(
    kind: type[Any], settings: dict[str, object]
) -> None:
    async def make() -> None:
        kind(settings)

    with pytest.raises(ConfigError, match="is empty: pass bootstrap_servers='localhost:9092'"):
        asyncio.run(make())
