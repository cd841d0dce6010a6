"""Logs with a batch that is not what it says: all else is read, and the place is named."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from barnabas import Admin, Consumer, NewTopic, Producer, TopicPartition, aio
from barnabas.errors import CorruptRecord
from barnabas.records.batches.batch import walk
from barnabas.testing.embedded_broker import EmbeddedBroker

BAD, GOOD = TopicPartition("two", 0), TopicPartition("two", 1)
BATCHES, PER_BATCH, FAULTY = 10, 10, 4
FAULT = FAULTY * PER_BATCH
WHOLE = list(range(BATCHES * PER_BATCH))


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Two partitions of 100 records; a byte of the fifth batch of the first one is flipped."""
    folder = tmp_path_factory.mktemp("logs")
    with EmbeddedBroker(data_dir=folder) as broker:
        with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
            admin.create_topics([NewTopic("two", 2, 1)])
        with Producer(bootstrap_servers=broker.bootstrap_servers, linger_ms=10_000) as producer:
            for batch in range(BATCHES):
                for each in range(PER_BATCH):
                    for where in (BAD, GOOD):
                        number = batch * PER_BATCH + each
                        producer.send("two", b"%d" % number, partition=where.partition)
                producer.flush(20)
    _flip(folder / "two-0" / f"{0:020d}.log")
    with EmbeddedBroker(data_dir=folder) as broker:
        yield broker.bootstrap_servers


def _flip(log: Path) -> None:
    data = bytearray(log.read_bytes())
    faulty = list(walk(data))[FAULTY]
    assert (faulty.base_offset, faulty.count) == (FAULT, PER_BATCH)
    data[faulty.position + faulty.size - 2] ^= 1
    log.write_bytes(data)


@pytest.fixture
def consumer(servers: str) -> Iterator[Consumer]:
    with Consumer(bootstrap_servers=servers, auto_offset_reset="earliest") as made:
        made.assign([BAD, GOOD])
        yield made


class Seen:
    """Offsets by partition, and how often an error came, until both partitions are read."""

    def __init__(self) -> None:
        self.offsets: dict[int, list[int]] = {0: [], 1: []}
        self.errors: list[str] = []

    @property
    def waits(self) -> bool:
        return len(self.errors) < 2 or len(self.offsets[1]) < len(WHOLE)

    def check(self, consumer: Consumer) -> None:
        assert self.offsets == {0: WHOLE[:FAULT], 1: WHOLE}
        for error in self.errors:
            assert error.startswith(f"two-0, batch at offset {FAULT}: "), error
            assert error.endswith(f"seek to {FAULT + PER_BATCH} to continue"), error
        assert consumer.position(BAD) == FAULT
        consumer.seek(BAD, FAULT + PER_BATCH)
        rest = consumer.poll(20)
        assert [record.offset for record in rest] == WHOLE[FAULT + PER_BATCH :]


@pytest.mark.kernels
def test_a_poll_gives_all_that_is_sound(consumer: Consumer) -> None:
    seen = Seen()
    while seen.waits:
        try:
            for record in consumer.poll(20, 7):
                seen.offsets[record.partition].append(record.offset)
        except CorruptRecord as error:
            seen.errors.append(str(error))
    seen.check(consumer)


@pytest.mark.kernels
def test_a_table_has_all_that_is_sound(consumer: Consumer) -> None:
    seen = Seen()
    while seen.waits:
        try:
            table = consumer.fetch_arrow(20)
        except CorruptRecord as error:
            seen.errors.append(str(error))
            continue
        for row in table.select(["partition", "offset"]).to_pylist():
            seen.offsets[row["partition"]].append(row["offset"])
    seen.check(consumer)


def test_one_by_one_all_that_is_sound_comes(consumer: Consumer) -> None:
    seen = Seen()
    while seen.waits:
        try:
            for record in consumer:
                seen.offsets[record.partition].append(record.offset)
        except CorruptRecord as error:
            seen.errors.append(str(error))
    seen.check(consumer)


def test_with_asyncio_it_is_the_same(servers: str) -> None:
    async def main() -> None:
        found: list[int] = []
        async with aio.Consumer(
            bootstrap_servers=servers, auto_offset_reset="earliest"
        ) as consumer:
            consumer.assign([BAD])

            async def read() -> None:
                async for record in consumer:
                    found.append(record.offset)  # noqa: PERF401 - it ends by an error

            with pytest.raises(CorruptRecord, match=f"seek to {FAULT + PER_BATCH} to continue"):
                await read()
            assert found == WHOLE[:FAULT]
            assert await consumer.position(BAD) == FAULT

    asyncio.run(main())
