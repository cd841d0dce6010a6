"""Transactions of our producer against our broker, by each version of them, over the loopback."""

import asyncio
import logging
from collections.abc import Iterator

import pyarrow as pa
import pytest

from barnabas import (
    Admin,
    CommittedOffset,
    ConfigError,
    Consumer,
    ErrorCode,
    GroupMetadata,
    NewTopic,
    Producer,
    TopicPartition,
    aio,
)
from barnabas.errors import AbortableError, FatalError, LocalProtocolError
from barnabas.testing.embedded_broker import EmbeddedBroker

QUICK = {"group.initial.rebalance.delay.ms": "0", "transaction.state.log.num.partitions": "2"}
OLDEST = "0.11"


@pytest.fixture(scope="module", params=["2.8", OLDEST, None], ids=str)
def release(request: pytest.FixtureRequest) -> str | None:
    """Of Kafka, that the broker behaves as: by version 1 of transactions all but the last (ours)."""
    found: str | None = request.param
    return found


@pytest.fixture(scope="module")
def servers(release: str | None) -> Iterator[str]:
    with EmbeddedBroker(QUICK, profile=release) as running:
        yield running.bootstrap_servers


@pytest.fixture(scope="module")
def modern() -> Iterator[str]:
    with EmbeddedBroker(QUICK) as running:
        yield running.bootstrap_servers


def producer_of(servers: str, name: str, **more: object) -> Producer:
    """A transactional producer that has begun its life."""
    made = Producer({"bootstrap.servers": servers, "transactional.id": name}, **more)
    made.init_transactions()
    return made


def committed(servers: str, topic: str, count: int) -> list[bytes | None]:
    """The first `count` values that count, and a check that all is decided and that no more do."""
    found: list[bytes | None] = []
    readers = {"bootstrap.servers": servers, "isolation.level": "read_committed"}
    with Consumer(readers, auto_offset_reset="earliest") as consumer:
        consumer.assign([(topic, 0)])
        with Consumer(bootstrap_servers=servers) as plain:
            # The end of a transaction is answered before its markers are written.
            (end,) = consumer.end_offsets([(topic, 0)]).values()
            for _ in range(10_000):
                if plain.end_offsets([(topic, 0)]) == {(topic, 0): end}:
                    break
                (end,) = consumer.end_offsets([(topic, 0)]).values()
            else:
                pytest.fail("something is open")
        while consumer.position((topic, 0)) < end:
            found += [record.value for record in consumer.poll(0.05)]
    assert len(found) == count
    return found


def test_what_is_committed_counts_and_what_is_aborted_does_not(servers: str) -> None:
    topic = "outcomes"
    with producer_of(servers, topic) as producer:
        for number in range(6):
            producer.begin_transaction()
            sent = [producer.send(topic, b"%d.%d" % (number, each), partition=0) for each in (1, 2)]
            if number % 3:
                producer.commit_transaction()
                assert all(delivery.done() for delivery in sent)
            else:
                producer.flush()
                producer.abort_transaction()
    expected = [b"%d.%d" % (number, each) for number in (1, 2, 4, 5) for each in (1, 2)]
    assert committed(servers, topic, 8) == expected


def test_with_asyncio(servers: str) -> None:
    topic = "asyncio"

    async def write() -> None:
        settings = {"bootstrap.servers": servers, "transactional.id": topic}
        async with aio.Producer(settings, compression_type="lz4") as producer:
            await producer.init_transactions()
            for number in range(4):
                try:
                    async with producer.transaction():
                        stored = await producer.send(topic, b"%d" % number, partition=0)
                        assert (await stored).offset >= 0
                        _ = 1 / (number - 1)
                except ZeroDivisionError:
                    assert number == 1

    asyncio.run(write())
    assert committed(servers, topic, 3) == [b"0", b"2", b"3"]


def test_a_block_commits_or_lets_its_exception_through(servers: str) -> None:
    topic = "blocks"
    with producer_of(servers, topic) as producer:
        with producer.transaction():
            producer.send(topic, b"kept", partition=0)
        with pytest.raises(KeyError), producer.transaction():
            {producer.send(topic, b"dropped", partition=0).result(20).offset: None}.pop(-1)
        with producer.transaction():
            producer.send(topic, b"kept too", partition=0)
    assert committed(servers, topic, 2) == [b"kept", b"kept too"]


@pytest.mark.parametrize("codec", ["none", "gzip"])
def test_tables_take_part(servers: str, codec: str) -> None:
    topic = f"tables-{codec}"
    rows = [b"%d" % number for number in range(500)]
    with producer_of(servers, topic, compression_type=codec, batch_size=2000) as producer:
        for outcome in (producer.abort_transaction, producer.commit_transaction):
            producer.begin_transaction()
            producer.send_arrow(topic, pa.table({"value": rows})).result(20)
            outcome()
    assert committed(servers, topic, 500) == rows


def test_offsets_count_with_their_transaction(servers: str) -> None:
    topic, group = "offsets", "of-offsets"
    mine = {"bootstrap.servers": servers, "group.id": group, "enable.auto.commit": False}
    with producer_of(servers, topic) as producer, Consumer(mine) as consumer:
        place = (topic, 0)
        with producer.transaction():
            producer.send(topic, b"x", partition=0)
        for ending, offset in ((producer.commit_transaction, 3), (producer.abort_transaction, 7)):
            producer.begin_transaction()
            producer.send_offsets_to_transaction({place: offset}, GroupMetadata(group))
            ending()
            assert consumer.committed([place]) == {place: 3}


def test_offsets_in_transactions_carry_the_epochs_of_what_was_read(modern: str) -> None:
    topic, place = "epochs", TopicPartition("epochs", 0)
    mine = {"bootstrap.servers": modern, "group.id": "of-epochs", "enable.auto.commit": False}
    with producer_of(modern, topic) as producer, Consumer(mine) as consumer:
        with producer.transaction():
            producer.send(topic, b"x", partition=0)
        consumer.assign([place])
        consumer.seek_to_beginning()
        while not consumer.poll(1):
            pass
        for who in (consumer.group_metadata(), GroupMetadata("without")):
            with producer.transaction():
                producer.send_offsets_to_transaction({place: 1}, who)
        with Admin(bootstrap_servers=modern) as admin:
            assert admin.list_group_offsets("of-epochs") == {place: CommittedOffset(1, 0)}
            assert admin.list_group_offsets("without") == {place: CommittedOffset(1, -1)}


def test_a_member_of_an_old_generation_can_only_abort(modern: str) -> None:
    topic, group = "generations", "of-generations"
    mine = {"bootstrap.servers": modern, "group.id": group, "enable.auto.commit": False}
    with producer_of(modern, topic) as producer, Consumer(mine) as consumer:
        with producer.transaction():
            producer.send(topic, b"x", partition=0)
        consumer.subscribe([topic])
        while not consumer.assignment():
            consumer.poll(0.1)
        now = consumer.group_metadata()
        old = GroupMetadata(group, now.generation - 1, now.member_id)
        producer.begin_transaction()
        producer.send_offsets_to_transaction({(topic, 0): 1}, now)
        with pytest.raises(AbortableError) as raised:
            producer.send_offsets_to_transaction({(topic, 0): 1}, old)
        assert raised.value.code is ErrorCode.ILLEGAL_GENERATION
        with pytest.raises(AbortableError, match="call abort_transaction"):
            producer.commit_transaction()
        producer.abort_transaction()
        assert consumer.committed([(topic, 0)]) == {}
        with producer.transaction():
            producer.send_offsets_to_transaction({(topic, 0): 1}, now)
        assert consumer.committed([(topic, 0)]) == {(topic, 0): 1}


def test_a_second_producer_of_the_name_fences_the_first(servers: str) -> None:
    topic = "fenced"
    first = producer_of(servers, topic)
    first.begin_transaction()
    first.send(topic, b"of the first", partition=0).result(20)
    with producer_of(servers, topic) as second:
        with pytest.raises(FatalError, match="fenced: another producer has started"):
            first.commit_transaction()
        for call in (first.begin_transaction, first.abort_transaction):
            with pytest.raises(FatalError, match="create a new one"):
                call()
        with pytest.raises(FatalError):
            first.send(topic, b"late")
        first.close()
        with second.transaction():
            second.send(topic, b"of the second", partition=0)
    assert committed(servers, topic, 1) == [b"of the second"]


def test_who_sends_as_a_zombie_is_fenced_too(servers: str) -> None:
    topic = "zombie"
    first = producer_of(servers, topic)
    first.begin_transaction()
    first.send(topic, b"before", partition=0).result(20)
    producer_of(servers, topic).close()
    delivery = first.send(topic, b"after", partition=0)
    with pytest.raises(FatalError, match="fenced: another producer has started") as raised:
        delivery.result(20)
    assert raised.value.code is ErrorCode.INVALID_PRODUCER_EPOCH
    with pytest.raises(FatalError, match="fenced: another producer has started"):
        first.commit_transaction()
    first.close(0)
    assert committed(servers, topic, 0) == []


def test_a_record_that_is_lost_takes_its_transaction_with_it(
    release: str | None, servers: str
) -> None:
    topic = "lost"
    with Admin(bootstrap_servers=servers) as admin:
        admin.create_topics([NewTopic(topic, configs={"max.message.bytes": "1000"})])
    with producer_of(servers, topic) as producer:
        producer.begin_transaction()
        producer.send(topic, b"fits", partition=0).result(20)
        producer.send(topic, bytes(5000), partition=0)
        with pytest.raises(AbortableError, match="MESSAGE_TOO_LARGE") as raised:
            producer.commit_transaction()
        assert raised.value.code is ErrorCode.MESSAGE_TOO_LARGE
        with pytest.raises(AbortableError):
            producer.send(topic, b"not now", partition=0)
        if release == OLDEST:
            with pytest.raises(
                FatalError, match="INIT_PRODUCER_ID: version 3 is required, .* supports 0"
            ):
                producer.abort_transaction()
            assert committed(servers, topic, 0) == []
            return
        producer.abort_transaction()
        with producer.transaction():
            producer.send(topic, b"fits as well", partition=0)
    assert committed(servers, topic, 1) == [b"fits as well"]


def test_calls_out_of_order_say_where_the_producer_stands(modern: str) -> None:
    settings = {"bootstrap.servers": modern, "transactional.id": "order"}
    with Producer(settings) as producer:
        for call in (producer.begin_transaction, producer.commit_transaction):
            with pytest.raises(LocalProtocolError, match="not initialised: call init_transactions"):
                call()
        with pytest.raises(LocalProtocolError, match="^send: .* not initialised"):
            producer.send("order", b"x")
        producer.init_transactions()
        with pytest.raises(LocalProtocolError, match="^init_transactions: .* not in a transaction"):
            producer.init_transactions()
        with pytest.raises(LocalProtocolError, match=r"^send: .* call begin_transaction first"):
            producer.send("order", b"x")
        with pytest.raises(LocalProtocolError, match="^abort_transaction: .* not in a transaction"):
            producer.abort_transaction()
        with producer.transaction(), pytest.raises(LocalProtocolError, match="end it with"):
            producer.begin_transaction()
        with pytest.raises(LocalProtocolError, match="^send: .* not in a transaction"):
            producer.send_arrow("order", pa.table({"value": [b"x"]}))


def test_brokers_without_transactions_are_distinguished_from_others() -> None:
    with (
        EmbeddedBroker(profile="0.10.2") as broker,
        Producer(bootstrap_servers=broker.bootstrap_servers, transactional_id="x") as producer,
        pytest.raises(FatalError, match="supports no version of InitProducerId"),
    ):
        producer.init_transactions()


def test_arguments_of_another_kind_are_refused(modern: str) -> None:
    with producer_of(modern, "kinds") as producer, producer.transaction():
        with pytest.raises(TypeError, match=r"group_metadata\(\) of the consumer"):
            producer.send_offsets_to_transaction({("t", 0): 1}, "group")  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="an offset must be a number"):
            producer.send_offsets_to_transaction({("t", 0): "1"}, GroupMetadata("g"))  # type: ignore[dict-item]


def test_a_timeout_that_the_broker_does_not_allow_is_named_with_the_properties(modern: str) -> None:
    settings = {"bootstrap.servers": modern, "transactional.id": "patient"}
    with Producer(settings, transaction_timeout_ms=99_999_999) as producer:
        advice = r"create a new one with a shorter transaction\.timeout\.ms: "
        with pytest.raises(FatalError, match=advice) as raised:
            producer.init_transactions()
        assert "=99999999 exceeds the broker's transaction.max.timeout" in str(raised.value)
        assert raised.value.code is ErrorCode.INVALID_TRANSACTION_TIMEOUT


def test_without_a_name_there_are_no_transactions(modern: str) -> None:
    with Producer(bootstrap_servers=modern) as producer:
        with pytest.raises(ConfigError, match=r"init_transactions needs transactional\.id"):
            producer.init_transactions()
        with pytest.raises(ConfigError), producer.transaction():
            pass


def test_records_that_wait_are_not_sent_when_their_transaction_is_aborted(modern: str) -> None:
    topic = "waiting"
    with producer_of(modern, topic, linger_ms=60_000, delivery_timeout_ms=120_000) as producer:
        with producer.transaction():
            producer.send(topic, b"first", partition=0)
        producer.begin_transaction()
        delivery = producer.send(topic, b"waits", partition=0)
        producer.abort_transaction()
        with pytest.raises(AbortableError, match="aborted before it was sent"):
            delivery.result(0)
        producer.flush()
    assert committed(modern, topic, 1) == [b"first"]


def test_closing_aborts_what_is_open_and_says_so(
    servers: str, caplog: pytest.LogCaptureFixture
) -> None:
    topic = "closed"
    with caplog.at_level(logging.WARNING), producer_of(servers, topic) as producer:
        producer.begin_transaction()
        producer.send(topic, b"x", partition=0).result(20)
    assert "an open transaction is aborted" in caplog.text
    assert committed(servers, topic, 0) == []
    with pytest.raises(LocalProtocolError, match="closed"):
        producer.begin_transaction()


def test_a_transaction_that_is_open_too_long_fences_its_producer() -> None:
    topic = "too-long"
    with EmbeddedBroker(
        QUICK | {"transaction.abort.timed.out.transaction.cleanup.interval.ms": "50"}
    ) as broker:
        servers = broker.bootstrap_servers
        producer = producer_of(servers, topic, transaction_timeout_ms=1000)
        producer.begin_transaction()
        producer.send(topic, b"x", partition=0).result(20)
        with Consumer(bootstrap_servers=servers, isolation_level="read_committed") as consumer:
            while consumer.end_offsets([(topic, 0)]) != {(topic, 0): 2}:
                pass  # Each of these asks the broker.
        with pytest.raises(FatalError, match=r"longer than transaction\.timeout\.ms"):
            producer.commit_transaction()
        producer.close()
        assert committed(servers, topic, 0) == []
