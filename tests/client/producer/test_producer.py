"""The producer against a broker in this process, over the loopback."""

import asyncio
import os
import pickle
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import assert_type

import pyarrow as pa
import pytest

from barnabas import (
    Admin,
    BrokerError,
    Consumer,
    ErrorCode,
    KafkaError,
    NewTopic,
    Producer,
    Record,
    RecordMetadata,
    aio,
)
from barnabas.client.aio.cluster import metadata
from barnabas.client.core.cluster.requests import metadata_request
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.metadata import MetadataRequest
from barnabas.testing.embedded_broker import EmbeddedBroker
from tests.client.scripted_broker import TOPIC, Call, ScriptedBroker, answer
from tests.interop.peers.ready import free_ports

CODECS = ("none", "gzip", "snappy", "lz4", "zstd")


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    with EmbeddedBroker({"num.partitions": "3"}) as broker:
        yield broker.bootstrap_servers


def everything(servers: str, topic: str, count: int) -> list[Record]:
    """The `count` records of a topic, and a check that there are no more."""
    found: list[Record] = []
    with Consumer({"bootstrap.servers": servers, "auto.offset.reset": "earliest"}) as consumer:
        consumer.assign(consumer.partitions_for(topic))
        while len(found) < count:
            records = consumer.poll(20, 100_000)
            assert records, f"{len(found)} of {count} records came"
            found += records
        ends = consumer.end_offsets(consumer.assignment())
        assert sum(ends.values()) == count
    return found


@pytest.mark.parametrize("codec", CODECS)
def test_records_come_back_as_they_were_sent(servers: str, codec: str) -> None:
    topic = f"as-sent-{codec}"
    rows = [
        (b"k%d" % number if number % 2 else None, b"v%d" % number if number % 5 else None)
        for number in range(1000)
    ]
    headers = [("a", b"1"), ("ä", None)]
    with Producer({"bootstrap.servers": servers, "compression.type": codec}) as producer:
        sent = [
            producer.send(
                topic, value, key, timestamp_ms=1_700_000_000_000 + number, headers=headers
            )
            for number, (key, value) in enumerate(rows)
        ]
        places = [each.result(20) for each in sent]
    found = {
        (record.partition, record.offset): record for record in everything(servers, topic, 1000)
    }
    for number, (place, (key, value)) in enumerate(zip(places, rows, strict=True)):
        record = found[place.partition, place.offset]
        assert (record.key, record.value) == (key, value)
        assert record.timestamp == place.timestamp == 1_700_000_000_000 + number
        assert list(record.headers) == headers


def test_records_of_many_threads_all_arrive_and_each_threads_keep_their_order(servers: str) -> None:
    topic = "threads"
    with Producer(
        {"bootstrap.servers": servers, "linger.ms": "0", "batch.size": "500"}
    ) as producer:

        def send(name: int) -> None:
            for number in range(2000):
                producer.send(topic, b"%d" % number, b"%d" % name)

        threads = [threading.Thread(target=send, args=(name,)) for name in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    by_key: dict[bytes | None, list[int]] = {}
    for record in everything(servers, topic, 8000):
        by_key.setdefault(record.key, []).append(int(record.value or b""))
    assert by_key == {b"%d" % name: list(range(2000)) for name in range(4)}


def test_arrow_rows_go_where_single_records_with_the_same_key_go(servers: str) -> None:
    keys = [b"key-%d" % (number % 50) for number in range(5000)]
    table = pa.table({"key": keys, "value": [b"%d" % number for number in range(5000)]})
    with Producer(bootstrap_servers=servers, compression_type="zstd") as producer:
        assert producer.send_arrow("bulk", table).count == 5000
        singles = {key: producer.send("single", b"", key).result(20).partition for key in set(keys)}
    found = everything(servers, "bulk", 5000)
    assert sorted(int(record.value or b"") for record in found) == list(range(5000))
    assert all(record.partition == singles[record.key or b""] for record in found)


def test_headers_of_a_generator_and_a_topic_that_is_no_name(servers: str) -> None:
    with Producer(bootstrap_servers=servers) as producer:
        for _ in range(2):  # The first opens a batch, the second finds it open.
            producer.send("once", b"v", headers=((name, b"1") for name in "ab"))
        with pytest.raises(TypeError, match="a topic must be a str, not bytes b'once'"):
            producer.send(b"once", b"v")  # type: ignore[arg-type]
        with pytest.raises(BrokerError, match=r"'not/a name': a name is 1 to 249 characters"):
            producer.send("not/a name", b"v")
    assert [list(record.headers) for record in everything(servers, "once", 2)] == [
        [("a", b"1"), ("b", b"1")]
    ] * 2


@pytest.mark.parametrize("kind", ["CreateTime", "LogAppendTime"])
def test_outcomes_tell_the_time_that_the_log_has(servers: str, kind: str) -> None:
    topic = f"of-{kind}"
    with Admin(bootstrap_servers=servers) as admin:
        admin.create_topics([NewTopic(topic, 1, 1, {"message.timestamp.type": kind})])
    table = pa.table({"value": [b"a", b"b"], "timestamp": [5000, 6000]})
    with Producer(bootstrap_servers=servers) as producer:
        reported = [producer.send(topic, b"v", timestamp_ms=4000).result(20)]
        reported += producer.send_arrow(topic, table).result(20)
    found = {record.offset: record.timestamp for record in everything(servers, topic, 3)}
    assert {each.offset: each.timestamp for each in reported} == {0: found[0], 1: found[1]}
    assert (found[1] == 5000) == (kind == "CreateTime")


def test_waiting_for_each_record_is_cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[threading.Event] = []
    here, waits = threading.current_thread(), threading.Event()

    class Counted(threading.Event):
        def __init__(self) -> None:
            super().__init__()
            if threading.current_thread() is here:
                made.append(self)
                waits.set()

    def answer_who_waits(call: Call) -> None:
        assert waits.wait(60)
        answer(call)

    with (
        ScriptedBroker({ApiKey.PRODUCE: [answer_who_waits]}) as broker,
        Producer(bootstrap_servers=broker.address) as producer,
    ):
        monkeypatch.setattr(threading, "Event", Counted)
        deliveries = [producer.send(TOPIC, b"%d" % number) for number in range(1000)]
        assert f"{TOPIC}-0" in repr(deliveries[0])
        assert all(delivery.result(timeout_s=60).offset >= 0 for delivery in deliveries)
        assert repr(deliveries[0]).endswith("stored at offset 0>")
    assert len(made) == 1


def test_a_producer_knows_the_partitions_of_a_topic(servers: str) -> None:
    with Producer(bootstrap_servers=servers) as producer:
        assert producer.partitions_for("known") == [("known", number) for number in range(3)]

    async def main() -> int:
        async with aio.Producer(bootstrap_servers=servers) as producer:
            return len(await producer.partitions_for("known"))

    assert asyncio.run(main()) == 3


@pytest.mark.parametrize("kind", ["records", "arrow"])
def test_a_partition_that_was_added_since_is_found_as_by_kafkas_producer(
    servers: str, kind: str
) -> None:
    topic, config, arrow = f"grown-{kind}", {"bootstrap.servers": servers}, kind == "arrow"
    row = pa.table({"value": [b"x"], "partition": [1]})

    async def sent_by_asyncio() -> None:
        async with aio.Producer(config) as producer:
            await (await producer.send(topic, b"x", partition=0))
            grow(2, 4)
            if arrow:
                later = row.set_column(1, "partition", pa.array([3]))
                await producer.send_arrow(topic, later, partition="partition")
            else:
                await (await producer.send(topic, b"x", partition=3))
            with pytest.raises(BrokerError, match=topic):
                await (await producer.send(topic, b"x", partition=4))

    def grow(before: int, after: int) -> None:
        with Admin(config) as admin:
            if before:
                admin.create_partitions({topic: after})
            else:
                admin.create_topics([NewTopic(topic, after)])

    grow(0, 1)
    with Producer(config) as producer:
        producer.send(topic, b"x", partition=0).result()
        grow(1, 2)
        if arrow:
            producer.send_arrow(topic, row, partition="partition")
        else:
            producer.send(topic, b"x", partition=1)
        with pytest.raises(BrokerError, match=topic):
            producer.send(topic, b"x", partition=2)
    asyncio.run(sent_by_asyncio())
    assert sorted(each.partition for each in everything(servers, topic, 4)) == [0, 0, 1, 3]


def test_a_new_topic_is_asked_for_without_those_that_are_known(
    servers: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[set[str]] = []

    def listening(topics: Iterable[str] | None, *, create: bool, version: int) -> MetadataRequest:
        asked.append(set(topics or ()))
        return metadata_request(asked[-1], create=create, version=version)

    monkeypatch.setattr(metadata, "metadata_request", listening)
    names = [f"one-of-many-{number}" for number in range(5)]
    with Producer(bootstrap_servers=servers) as producer:
        for name in names:
            producer.send(name, b"value").result(20)
    firsts = [next(each for each in asked if name in each) for name in names]
    assert firsts == [{name} for name in names]


def test_a_record_that_is_too_large_is_refused_at_once(servers: str) -> None:
    with Producer(bootstrap_servers=servers, max_request_size=1000) as producer:
        with pytest.raises(BrokerError, match=r"max\.request\.size is 1000") as caught:
            producer.send("too-large", bytes(1000))
        assert caught.value.code is ErrorCode.MESSAGE_TOO_LARGE


def test_a_batch_too_large_for_the_topic_is_split(servers: str) -> None:
    with Admin(bootstrap_servers=servers) as admin:
        admin.create_topics([NewTopic("small", 1, 1, {"max.message.bytes": "2000"})])
    with Producer(bootstrap_servers=servers, linger_ms=1000, batch_size=100_000) as producer:
        sent = [producer.send("small", bytes([number]) * 100) for number in range(100)]
        producer.flush(20)
        assert [each.result(0).offset for each in sent] == list(range(100))
    assert len(everything(servers, "small", 100)) == 100


def test_a_failure_that_nobody_looked_at_comes_out_of_close(servers: str) -> None:
    with Admin(bootstrap_servers=servers) as admin:
        admin.create_topics([NewTopic("tiny", 1, 1, {"max.message.bytes": "200"})])
    producer = Producer(bootstrap_servers=servers)
    producer.send("tiny", bytes(500))
    with pytest.raises(BrokerError, match="1 record in 1 batch was not delivered"):
        producer.close(20)


def test_without_a_broker_the_error_names_what_was_tried() -> None:
    settings = {"bootstrap.servers": "127.0.0.1:1", "bootstrap.refused.timeout.ms": 500}
    with (
        Producer(settings) as producer,
        pytest.raises(KafkaError, match=r"no broker at 127\.0\.0\.1:1 .*refused"),
    ):
        producer.send("t", b"x")


def test_a_producer_is_neither_pickled_nor_used_after_a_fork(servers: str) -> None:
    with Producer(bootstrap_servers=servers) as producer:
        producer.send("fork", b"parent").result(20)
        with pytest.raises(TypeError, match="holds connections"):
            pickle.dumps(producer)
        child = os.fork()
        if child == 0:
            try:
                producer.flush(5)
            except KafkaError as error:
                os._exit(0 if "before this one was forked" in str(error) else 2)
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_asyncio_sends_waits_and_reads(servers: str) -> None:
    async def main() -> list[int]:
        async with aio.Producer(bootstrap_servers=servers, buffer_memory=40_000) as producer:
            sent = [await producer.send("aio", b"%d" % number) for number in range(3000)]
            assert {(await each).topic for each in sent} == {"aio"}
            assert_type(await sent[0], RecordMetadata)
            table = pa.table({"value": [b"%d" % number for number in range(3000, 4000)]})
            assert (await producer.send_arrow("aio", table)).count == 1000
        found: list[int] = []
        settings = {"bootstrap.servers": servers, "auto.offset.reset": "earliest"}
        async with aio.Consumer(settings) as consumer:
            consumer.assign(await consumer.partitions_for("aio"))
            while len(found) < 4000:
                found += [int(record.value or b"") for record in await consumer.poll(20)]
        return sorted(found)

    assert asyncio.run(main()) == list(range(4000))


def test_nothing_is_lost_or_doubled_over_a_restart_of_the_broker(tmp_path: Path) -> None:
    (port,) = free_ports(1)
    config = {"num.partitions": "2", "listeners": f"PLAINTEXT://127.0.0.1:{port}"}
    with EmbeddedBroker(config, data_dir=tmp_path) as broker:
        producer = Producer(
            bootstrap_servers=broker.bootstrap_servers, linger_ms=1, batch_size=2000
        )
        sent = [producer.send("restart", b"%d" % number) for number in range(2000)]
        sent[0].result(20)
    sent += [producer.send("restart", b"%d" % number) for number in range(2000, 4000)]
    with EmbeddedBroker(config, data_dir=tmp_path) as broker:
        producer.close(60)
        places = [each.result(0) for each in sent]
        assert len({(place.partition, place.offset) for place in places}) == 4000
        found = everything(broker.bootstrap_servers, "restart", 4000)
    assert sorted(int(record.value or b"") for record in found) == list(range(4000))
    for partition in range(2):
        mine = [int(record.value or b"") for record in found if record.partition == partition]
        assert mine == sorted(mine), "the order of a partition is that of sending"
