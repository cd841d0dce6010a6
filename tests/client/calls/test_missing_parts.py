"""Missing parts: brokers that were not started, topics that were not created, loops that do not run."""

import asyncio
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from barnabas import Admin, Consumer, NewTopic, Producer, aio
from barnabas.errors import BrokerError, ConnectionFailed, ErrorCode, LocalProtocolError
from barnabas.protocol.api_keys import ApiKey
from barnabas.testing.embedded_broker import EmbeddedBroker
from tests.client.scripted_broker import TOPIC, ScriptedBroker, drop

AN_HOUR_MS = 3_600_000


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    with EmbeddedBroker({"num.partitions": "1"}) as broker:
        yield broker.bootstrap_servers


@pytest.mark.parametrize("refused_ms", [1000, 1], ids=["had", "found out later"])
@pytest.mark.parametrize("servers", ["127.0.0.1:1", "127.0.0.1:1,no-such-host.invalid:9092"])
def test_where_nobody_listens_a_call_need_not_take_its_whole_time(
    servers: str, refused_ms: int
) -> None:
    with (
        Admin(
            bootstrap_servers=servers,
            bootstrap_refused_timeout_ms=refused_ms,
            default_api_timeout_ms=AN_HOUR_MS,
        ) as admin,
        pytest.raises(
            ConnectionFailed, match=r"^no broker at 127\.0\.0\.1:1 \(Connection refused\)"
        ),
    ):
        admin.list_topics()


def test_a_broker_that_listens_is_waited_for() -> None:
    with (
        ScriptedBroker({ApiKey.METADATA: [drop, drop]}) as broker,
        Admin(bootstrap_servers=broker.address, bootstrap_refused_timeout_ms=1) as admin,
    ):
        assert admin.list_topics() == [TOPIC]


def test_a_topic_that_reading_makes_is_reported_once(
    servers: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING), Consumer(bootstrap_servers=servers) as consumer:
        assert len(consumer.partitions_for("made-by-reading")) == 1
        assert len(consumer.partitions_for("made-by-reading")) == 1
    (reported,) = caplog.messages
    assert reported.startswith("not on the cluster: made-by-reading; requesting its creation")


def test_a_topic_that_reading_does_not_make_is_named_once(
    servers: str, caplog: pytest.LogCaptureFixture
) -> None:
    mine = {"bootstrap.servers": servers, "group.id": "g", "allow.auto.create.topics": False}
    with caplog.at_level(logging.WARNING), Consumer(mine) as consumer:
        consumer.subscribe(["mistyped"])
        while not caplog.messages:
            assert consumer.poll(timeout_s=0.1) == []
        assert consumer.poll(timeout_s=1) == []
    (warning,) = caplog.messages
    assert warning.startswith("not on the cluster: mistyped; not created, because")


@pytest.fixture
def makes_none() -> Iterator[str]:
    """A broker that creates no topics, with one that is called typed."""
    with EmbeddedBroker({"auto.create.topics.enable": "false"}) as broker:
        with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
            admin.create_topics([NewTopic("typed", 1)])
        yield broker.bootstrap_servers


def test_a_question_about_a_missing_topic_fails_soon_with_what_is_there(makes_none: str) -> None:
    mine = {"bootstrap.servers": makes_none, "group.id": "g", "allow.auto.create.topics": False}
    meant = "there is no topic mistyped, did you mean typed."
    whose = "the brokers do not create it .auto.create.topics.enable.: create it first"
    with (
        Producer(bootstrap_servers=makes_none) as producer,
        pytest.raises(BrokerError, match=f"{meant}; requested, but {whose}") as caught,
    ):
        producer.partitions_for("mistyped")
    assert caught.value.code is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    with (
        Consumer(mine) as consumer,
        pytest.raises(BrokerError, match=f"{meant}; not created, because allow.auto.create"),
    ):
        consumer.partitions_for("mistyped")


def test_a_send_to_a_missing_topic_names_it_when_its_time_is_over(makes_none: str) -> None:
    says = "no topic mistyped, did you mean typed.*not done within 0.3 s .max.block.ms"
    with (
        Producer(bootstrap_servers=makes_none, max_block_ms=300) as producer,
        pytest.raises(BrokerError, match=says),
    ):
        producer.send("mistyped", b"x")

    async def send() -> None:
        async with aio.Producer(bootstrap_servers=makes_none, max_block_ms=300) as producer:
            await (await producer.send("mistyped", b"x"))

    with pytest.raises(BrokerError, match=says):
        asyncio.run(send())


@pytest.mark.parametrize("kind", ["Producer", "Consumer", "Admin"])
def test_an_asyncio_client_made_outside_of_a_coroutine_is_an_error_that_says_where(
    kind: str,
) -> None:
    with pytest.raises(RuntimeError, match=rf"`async with barnabas\.aio\.{kind}\(\.\.\.\)`"):
        getattr(aio, kind)(bootstrap_servers="127.0.0.1:1")


def test_two_tasks_that_poll_one_consumer_are_refused(servers: str) -> None:
    async def main() -> None:
        async with aio.Consumer(bootstrap_servers=servers) as consumer:
            consumer.assign([("nothing-yet", 0)])
            first = asyncio.ensure_future(consumer.poll())
            await asyncio.sleep(0)
            with pytest.raises(LocalProtocolError, match="one at a time"):
                await consumer.poll(1)
            first.cancel()
            await asyncio.wait([first])
            assert await consumer.poll(0) == []

    asyncio.run(main())


def test_arguments_of_other_clients_are_answered_with_ours(servers: str) -> None:
    async def ask(client: Any, call: str, argument: str) -> None:
        await getattr(client, call)(**{argument: 1})

    async def main() -> None:
        async with aio.Consumer(bootstrap_servers=servers) as consumer:
            with pytest.raises(TypeError, match="use timeout_s=, in seconds"):
                await ask(consumer, "poll", "timeout_ms")
        async with aio.Producer(bootstrap_servers=servers) as producer:
            for call in ("flush", "close"):
                with pytest.raises(TypeError, match=rf"{call}\(\) got .* timeout_s="):
                    await ask(producer, call, "timeout")

    asyncio.run(main())
    with Consumer(bootstrap_servers=servers) as reader:
        poll: Any = reader.poll
        with pytest.raises(TypeError, match="use max_records="):
            poll(num_messages=1)
        with pytest.raises(TypeError, match=r"argument 'wait'$"):
            poll(wait=1)
    with Producer(bootstrap_servers=servers) as sender:
        for name in ("flush", "close"):
            with pytest.raises(TypeError, match=rf"{name}\(\) got .* timeout_s="):
                getattr(sender, name)(timeout=1)
