"""Parts of downloads, within what all downloads may hold."""

import asyncio
from dataclasses import replace

import pytest

from barnabas import Producer
from barnabas.aio import Admin
from barnabas.console.records import record_parts
from barnabas.console.records.record_filter import filter_of
from barnabas.console.records.record_parts import RecordParts
from barnabas.console.records.record_query import RecordQuery
from barnabas.console.records.start_position import StartPosition
from barnabas.console.settings import ConsoleSettings
from barnabas.console.streams import DownloadMemory
from barnabas.testing import EmbeddedBroker

COUNT = 4
SIZE = 300_000


@pytest.fixture(scope="module")
def large(console_broker: EmbeddedBroker) -> str:
    console_broker.create_topic("large", 1)
    with Producer(bootstrap_servers=console_broker.bootstrap_servers) as producer:
        for number in range(COUNT):
            producer.send("large", b"%d" % number * SIZE)
    return console_broker.bootstrap_servers


async def query(servers: str) -> RecordQuery:
    """All of the topic, from its beginning."""
    async with Admin(bootstrap_servers=servers) as admin:
        view = (await admin.describe_topics(["large"]))["large"]
    start = StartPosition({0: 0}, backward=False)
    return RecordQuery(view, start, {0: (0, COUNT)}, 50, filter_of({}, None), counts_bytes=False)


@pytest.mark.parametrize("backward", [False, True])
def test_what_does_not_fit_is_read_again_when_there_is_room(
    large: str, monkeypatch: pytest.MonkeyPatch, *, backward: bool
) -> None:
    """Four downloads of records that are larger than was thought; three hundred kilobytes fit."""
    monkeypatch.setattr(record_parts, "_AT_ONCE_BYTES", 1000)
    held = DownloadMemory(SIZE)
    at_a_time: list[int] = []
    holding = 0

    async def download(asked: RecordQuery) -> list[int]:
        nonlocal holding
        offsets = []
        settings = ConsoleSettings({"bootstrap.servers": large})
        async with RecordParts(settings, "all", held) as reader:
            async for records in reader.in_order(asked, 100):
                holding += 1
                at_a_time.append(holding)
                offsets += [record.offset for record in records]
                await asyncio.sleep(0.01)
                holding -= 1
        return offsets

    async def main() -> list[list[int]]:
        asked = await query(large)
        if backward:
            asked = replace(asked, start=StartPosition({0: COUNT}, backward=True))
        return await asyncio.gather(*(download(asked) for _ in range(4)))

    assert asyncio.run(main()) == [[*range(COUNT)]] * 4
    assert max(at_a_time) == 1
    assert held.count == 0
