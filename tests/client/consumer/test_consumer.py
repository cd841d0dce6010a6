"""The consumer and range reader against a broker in this process, over the loopback."""

import asyncio
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from barnabas import (
    Admin,
    BrokerError,
    ConfigError,
    Consumer,
    ErrorCode,
    NewTopic,
    Producer,
    RangeReader,
    TopicPartition,
    aio,
)
from barnabas.client.sync.ranges import close_kept_connections
from barnabas.errors import InvalidArgument
from barnabas.records.columns.columns import ColumnSelection
from barnabas.testing.embedded_broker import EmbeddedBroker
from tests.interop.peers.ready import free_ports

COUNT = 5000
A, B = TopicPartition("read", 0), TopicPartition("read", 1)


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    """A broker with `COUNT` records of 1 ms each in partition 0 and as many in partition 1."""
    with EmbeddedBroker() as broker:
        servers = broker.bootstrap_servers
        with Admin(bootstrap_servers=servers) as admin:
            admin.create_topics([NewTopic("read", 2, 1), NewTopic("empty", 1, 1)])
        with Producer(
            bootstrap_servers=servers, batch_size=3000, compression_type="lz4"
        ) as producer:
            for number in range(COUNT):
                for partition in (0, 1):
                    producer.send("read", b"%d" % number, partition=partition, timestamp_ms=number)
        yield servers
    close_kept_connections()


@pytest.fixture
def consumer(servers: str) -> Iterator[Consumer]:
    settings = {"bootstrap.servers": servers, "auto.offset.reset": "earliest"}
    with Consumer(settings, max_partition_fetch_bytes=20_000) as made:
        yield made


def test_polls_give_each_partition_in_order_and_whole(consumer: Consumer) -> None:
    consumer.assign([A, B])
    offsets: dict[int, list[int]] = {0: [], 1: []}
    while sum(map(len, offsets.values())) < 2 * COUNT:
        records = consumer.poll(20, 37)
        assert 0 < len(records) <= 37
        for record in records:
            offsets[record.partition].append(record.offset)
    assert offsets == {0: list(range(COUNT)), 1: list(range(COUNT))}
    assert consumer.position(A) == COUNT


def test_an_empty_partition_gives_nothing_in_time(consumer: Consumer) -> None:
    consumer.assign([("empty", 0)])
    assert consumer.poll(0.01) == []
    assert consumer.position(("empty", 0)) == 0


def test_what_names_no_partition_is_refused_and_changes_nothing(consumer: Consumer) -> None:
    consumer.assign([A])
    with pytest.raises(TypeError, match="not 'odd'"):
        consumer.assign(["odd"])  # type: ignore[list-item]
    assert consumer.assignment() == [A]


def test_a_partition_that_is_not_there_keeps_no_other_waiting(servers: str) -> None:
    settings = {"bootstrap.servers": servers, "auto.offset.reset": "earliest"}
    with Consumer(settings) as consumer:
        consumer.assign([("read", 9), A])
        assert consumer.poll(20, 1)[0].offset == 0


def test_of_a_partition_that_is_not_there_the_log_tells_and_in_the_end_an_error(
    servers: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def warned() -> list[str]:
        return [line for line in caplog.messages if "read-9" in line]

    async def main() -> None:
        loop = asyncio.get_running_loop()
        now = loop.time
        settings = {"bootstrap.servers": servers, "request.timeout.ms": 3_600_000}
        async with aio.Consumer(
            settings, default_api_timeout_ms=40_000, retry_backoff_ms=20
        ) as consumer:
            consumer.assign([("read", 9), A])
            consumer.pause(A)
            while not warned():
                assert await consumer.poll(0.05) == []
            monkeypatch.setattr(loop, "time", lambda: now() + 41)
            with pytest.raises(
                BrokerError, match="partition 9 does not exist: topic read has 2"
            ) as caught:
                await consumer.poll(20)
        assert caught.value.code is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION

    asyncio.run(main())
    assert len(warned()) == 1
    assert "cannot be read yet" in warned()[0]


@pytest.mark.parametrize("lost", [("read", 9), ("never-was", 0)])
def test_a_new_assignment_holds_at_once(consumer: Consumer, lost: tuple[str, int]) -> None:
    """The time that finding the lost partition may take is a minute."""
    consumer.assign([lost])
    assert consumer.poll(0.05) == []
    consumer.assign([A])
    assert consumer.poll(20, 1)[0].offset == 0


def test_a_partition_that_is_made_later_is_read_then(servers: str) -> None:
    settings = {"bootstrap.servers": servers, "auto.offset.reset": "earliest"}
    with Consumer(settings) as consumer, Admin(bootstrap_servers=servers) as admin:
        admin.create_topics([NewTopic("grows", 1, 1)])
        consumer.assign([("grows", 1)])
        consumer.seek(("grows", 1), 0)
        assert consumer.poll(0.05) == []
        admin.create_partitions({"grows": 2})
        with Producer(bootstrap_servers=servers) as producer:
            producer.send("grows", b"at last", partition=1)
        assert consumer.poll(20)[0].value == b"at last"


def test_the_lag_is_what_is_left_to_read(consumer: Consumer) -> None:
    consumer.assign([A])
    assert consumer.lag(A) is None
    consumer.poll(20, 10)
    assert consumer.lag(A) == COUNT - 10


def test_records_can_be_gone_through_one_by_one(servers: str, consumer: Consumer) -> None:
    consumer.assign([A])
    firsts = [record.offset for record in islice(consumer, 700)]
    assert firsts == list(range(700))

    async def main() -> list[int]:
        settings = {"bootstrap.servers": servers, "auto.offset.reset": "earliest"}
        found: list[int] = []
        async with aio.Consumer(settings) as one_of_asyncio:
            one_of_asyncio.assign([A])
            async for record in one_of_asyncio:
                found.append(record.offset)
                if len(found) == 700:
                    break
        return found

    assert asyncio.run(main()) == firsts


def test_seek_goes_there_whatever_was_fetched(consumer: Consumer) -> None:
    consumer.assign([A])
    consumer.poll(20, 5)
    for offset in (1234, 0, COUNT - 1, 7):
        consumer.seek(A, offset)
        assert consumer.poll(20, 1)[0].offset == offset
        assert consumer.position(A) == offset + 1


AN_HOUR = {"retry.backoff.ms": 3_600_000, "retry.backoff.max.ms": 3_600_000}


@pytest.mark.parametrize("offset", [None, 17])
def test_before_its_first_fetch_a_consumer_waits_for_no_retry(
    servers: str, offset: int | None
) -> None:
    settings = {"bootstrap.servers": servers, "auto.offset.reset": "earliest"} | AN_HOUR
    with Consumer(settings) as consumer:
        consumer.assign([A])
        if offset is not None:
            consumer.seek(A, offset)
        assert consumer.poll(timeout_s=20)[0].offset == (offset or 0)


@pytest.mark.parametrize("offset", [None, 17])
def test_with_asyncio_a_consumer_waits_for_no_retry_either(
    servers: str, offset: int | None
) -> None:
    async def read() -> int:
        settings = {"bootstrap.servers": servers, "auto.offset.reset": "earliest"} | AN_HOUR
        async with aio.Consumer(settings) as consumer:
            consumer.assign([A])
            if offset is not None:
                consumer.seek(A, offset)
            return (await consumer.poll(timeout_s=20))[0].offset

    assert asyncio.run(read()) == (offset or 0)


def test_paused_partitions_wait(consumer: Consumer) -> None:
    consumer.assign([A, B])
    consumer.pause(A)
    assert {record.partition for _ in range(5) for record in consumer.poll(20, 100)} == {1}
    assert consumer.paused() == [A]
    consumer.resume(A)
    consumer.pause(B)
    assert consumer.poll(20, 1)[0].offset == 0


def test_records_and_arrow_can_be_mixed(consumer: Consumer) -> None:
    consumer.assign([A])
    first = consumer.poll(20, 10)
    offsets = [record.offset for record in first]
    while len(offsets) < COUNT:
        offsets += consumer.fetch_arrow(20)["offset"].to_pylist()
    assert offsets == list(range(COUNT))
    nothing = consumer.fetch_arrow(0.01)
    assert nothing.num_rows == 0
    assert "value" in nothing.column_names


def test_a_position_that_is_gone_follows_auto_offset_reset(
    servers: str, consumer: Consumer
) -> None:
    consumer.assign([A])
    consumer.seek(A, 10 * COUNT)
    assert consumer.poll(20, 1)[0].offset == 0
    with Consumer(bootstrap_servers=servers, auto_offset_reset="none") as strict:
        strict.assign([A])
        with pytest.raises(BrokerError, match="seek first"):
            strict.poll(20)
        strict.seek(A, 10 * COUNT)
        with pytest.raises(BrokerError, match=r"auto\.offset\.reset is none"):
            strict.poll(20)
        strict.seek(A, 3)
        assert strict.poll(20, 1)[0].offset == 3


def test_offsets_are_found_by_time_and_at_both_ends(consumer: Consumer) -> None:
    found = consumer.offsets_for_times({A: 1234, B: COUNT + 1})
    earlier = found[A]
    assert earlier is not None
    assert earlier.offset == 1234
    assert found[B] is None
    assert consumer.beginning_offsets([A]) == {A: 0}
    assert consumer.end_offsets([A, B]) == {A: COUNT, B: COUNT}


def test_a_group_goes_on_where_it_committed(servers: str) -> None:
    settings = {"bootstrap.servers": servers, "group.id": "g", "auto.offset.reset": "earliest"}
    with Consumer(settings) as first:
        first.assign([A])
        first.poll(20, 10)
        first.commit()
        assert first.committed([A, B]) == {A: 10}
        first.poll(20, 5)
    with Consumer(settings, enable_auto_commit=False) as second:
        second.assign([A])
        assert second.poll(20, 1)[0].offset == 15, "the close of the first one committed"


@pytest.mark.parametrize(
    ("use", "saved"),
    [
        (Consumer.assignment, {}),
        (lambda consumer: consumer.poll(20, 3), {A: 3}),
        (lambda consumer: consumer.position(A), {A: 0}),
        (lambda consumer: consumer.seek(A, 7), {A: 7}),
        (lambda consumer: consumer.fetch_arrow(20), {A: COUNT}),
        (lambda consumer: next(iter(consumer)), {A: 1}),
    ],
    ids=["nothing", "poll", "position", "seek", "fetch_arrow", "for"],
)
def test_a_close_saves_only_positions_that_were_used(
    servers: str, request: pytest.FixtureRequest, use: Callable[[Consumer], object], saved: object
) -> None:
    """As Kafka's client, whose positions are not even looked for before."""
    name = request.node.callspec.id
    settings = {"bootstrap.servers": servers, "group.id": name, "auto.offset.reset": "earliest"}
    with Consumer(settings) as consumer:
        consumer.assign([A])
        while consumer.lag(A) is None:
            consumer.end_offsets([A])
        use(consumer)
    with Consumer(settings, enable_auto_commit=False) as next_one:
        assert next_one.committed([A]) == saved


@pytest.mark.parametrize("read", [aio.Consumer.poll, aio.Consumer.fetch_arrow])
def test_a_close_saves_what_was_read_by_a_task(servers: str, read: Callable[..., Any]) -> None:
    name = f"of-{read.__name__}"
    settings = {"bootstrap.servers": servers, "group.id": name, "auto.offset.reset": "earliest"}

    async def main() -> dict[TopicPartition, int]:
        async with aio.Consumer(settings) as consumer:
            consumer.assign([A])
            count = len(await read(consumer, timeout_s=20))
        async with aio.Consumer(settings, enable_auto_commit=False) as next_one:
            assert await next_one.committed([A]) == {A: count}
        return {A: count}

    assert asyncio.run(main())[A] > 0


def test_a_topic_that_is_no_longer_read_goes_by_its_name(servers: str) -> None:
    """Its id may have changed, and is not requested any more."""
    old = TopicPartition("old", 0)
    with (
        Admin(bootstrap_servers=servers) as admin,
        Consumer(
            bootstrap_servers=servers, group_id="by-name", enable_auto_commit=False
        ) as consumer,
    ):
        admin.create_topics([NewTopic("old", 1, 1)])
        consumer.assign([old])
        consumer.position(old)
        consumer.commit({old: 0})
        consumer.assign([A])
        consumer.position(A)
        admin.delete_topics(["old"])
        admin.create_topics([NewTopic("old", 1, 1)])
        consumer.commit({old: 0})
        assert consumer.committed([old]) == {old: 0}


def test_a_time_before_1970_is_refused(consumer: Consumer) -> None:
    with pytest.raises(InvalidArgument, match="read-0: a time must be 0 or more ms, not -1"):
        consumer.offsets_for_times({A: -1})


def test_committing_needs_a_group(consumer: Consumer) -> None:
    with pytest.raises(ConfigError):
        consumer.commit()
    with pytest.raises(ConfigError, match=r"group\.id"):
        consumer.commit({A: 1})


@pytest.mark.parametrize(("start", "end"), [(0, COUNT), (17, 18), (100, 4321), (5, 5)])
def test_a_range_is_read_exactly(servers: str, start: int, end: int) -> None:
    reader = RangeReader({"bootstrap.servers": servers}, fetch_bytes=30_000)
    offsets: list[int] = []
    for columns in reader.read("read", 0, start, end, ColumnSelection.OFFSET):
        assert columns.offsets is not None
        offsets += columns.offsets.tolist()
    assert offsets == list(range(start, end))
    assert reader.count("read", 1, start, end) == end - start


def test_a_range_reader_can_be_pickled(servers: str) -> None:
    reader = pickle.loads(pickle.dumps(RangeReader({"bootstrap.servers": servers})))
    assert reader.count("read", 0, 10, 20) == 10


def test_a_range_that_is_gone_says_what_there_is(servers: str) -> None:
    reader = RangeReader({"bootstrap.servers": servers})
    with pytest.raises(BrokerError, match="starts at 0 and ends at 5000") as caught:
        reader.count("read", 0, 6000, 6001)
    assert caught.value.code is ErrorCode.OFFSET_OUT_OF_RANGE


def test_reading_goes_on_after_a_restart_of_the_broker(tmp_path: Path) -> None:
    (port,) = free_ports(1)
    place = {"listeners": f"PLAINTEXT://127.0.0.1:{port}"}
    with EmbeddedBroker(place, data_dir=tmp_path) as broker:
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            for number in range(100):
                producer.send("t", b"%d" % number, timestamp_ms=1)
        consumer = Consumer(
            bootstrap_servers=broker.bootstrap_servers, auto_offset_reset="earliest"
        )
        consumer.assign([("t", 0)])
        assert len(consumer.poll(20, 50)) == 50
    with EmbeddedBroker(place, data_dir=tmp_path) as broker:
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            producer.send("t", b"100")
        offsets: list[int] = []
        while len(offsets) < 51:
            offsets += [record.offset for record in consumer.poll(20)]
        consumer.close()
    assert offsets == list(range(50, 101))


def test_a_topic_made_again_is_read_anew(servers: str) -> None:
    """The kept connection still has the id of the old topic."""
    reader = RangeReader({"bootstrap.servers": servers})
    with Admin(bootstrap_servers=servers) as admin, Producer(bootstrap_servers=servers) as producer:
        for value in (b"old", b"new"):
            admin.create_topics([NewTopic("again", 1, 1)])
            producer.send("again", value, partition=0).result(60)
            parts = list(reader.read("again", 0, 0, 1, ColumnSelection.VALUE))
            assert [bytes(part.value.data) for part in parts if part.value] == [value]
            admin.delete_topics(["again"])
    reader.close()


def test_arrow_tables_need_no_pandas_which_takes_long_to_import(servers: str) -> None:
    program = f"""
import sys
from barnabas import Consumer
with Consumer(bootstrap_servers={servers!r}) as consumer:
    consumer.assign([("read", 0)])
    consumer.seek_to_beginning()
    assert len(consumer.fetch_arrow(timeout_s=60))
print("pyarrow" in sys.modules, "pandas" in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "True False\n"
