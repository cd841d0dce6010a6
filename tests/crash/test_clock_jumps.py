"""A real broker whose wall clock is set ahead and back: sessions continue, retention follows the clock."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from barnabas import Admin, Consumer, Producer
from barnabas.types import TopicPartition
from tests.interop.peers.brokers.our_broker import OurBroker

LIBRARIES = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
SECONDS = 60.0
DAY = "+86400"
HALF_AN_HOUR_BACK = "-1800"
"""With an hour, records of now would be too far ahead of it (`message.timestamp.after.max.ms`)."""
PLACE = TopicPartition("t", 0)
SESSION_MS = 6000

pytestmark = pytest.mark.skipif(not LIBRARIES, reason="apt-get install faketime")


@pytest.fixture
def clock(tmp_path: Path) -> Path:
    """It says how far the broker's wall clock is from ours; the monotonic one is not moved."""
    file = tmp_path / "clock"
    file.write_text("+0")
    return file


@pytest.fixture
def broker(clock: Path) -> Iterator[OurBroker]:
    prefix = (
        "env",
        f"LD_PRELOAD={LIBRARIES[0]}",
        f"FAKETIME_TIMESTAMP_FILE={clock}",
        "FAKETIME_NO_CACHE=1",
        "DONT_FAKE_MONOTONIC=1",
    )
    properties = {"log.retention.check.interval.ms": "200", "group.min.session.timeout.ms": "1000"}
    with OurBroker(prefix=prefix, properties=properties) as running:
        yield running


def wait_for(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_members_stay_in_their_group_and_records_flow(broker: OurBroker, clock: Path) -> None:
    servers = {"bootstrap.servers": broker.bootstrap_servers}
    settings = {**servers, "group.id": "g", "session.timeout.ms": SESSION_MS}
    with (
        Producer(servers) as producer,
        Admin(servers) as admin,
        Consumer({**settings, "auto.offset.reset": "earliest"}) as consumer,
    ):
        producer.send("t", "begin").result(30)
        consumer.subscribe(["t"])
        read: list[bytes | None] = []
        wait_for(lambda: b"begin" in take(consumer, read))
        before = admin.describe_groups(["g"])["g"]
        for number, jump in enumerate((DAY, "+0", HALF_AN_HOUR_BACK, DAY, "+0")):
            clock.write_text(jump)
            producer.send("t", b"%d" % number).result(30)
            wait_for(lambda: len(take(consumer, read)) == number + 2)  # noqa: B023
            after = admin.describe_groups(["g"])["g"]
            assert [one.member_id for one in after.members] == [
                one.member_id for one in before.members
            ]
        assert len(before.members) == 1


def take(consumer: Consumer, read: list[bytes | None]) -> list[bytes | None]:
    read += [record.value for record in consumer.poll(0.2)]
    return read


def test_retention_goes_by_the_clock_and_what_comes_later_stays(
    broker: OurBroker, clock: Path
) -> None:
    """A Kafka drops what its clock says is too old, too; nothing else is lost by it."""
    servers = {"bootstrap.servers": broker.bootstrap_servers}
    with Producer(servers) as producer, Consumer(servers) as consumer:
        for number in range(3):
            producer.send("t", b"%d" % number, partition=0).result(30)
        assert consumer.beginning_offsets([PLACE])[PLACE] == 0
        clock.write_text("+8640000")
        wait_for(lambda: consumer.beginning_offsets([PLACE])[PLACE] == 3)
        clock.write_text("+0")
        for number in range(3, 6):
            assert producer.send("t", b"%d" % number, partition=0).result(30).offset == number
        consumer.assign([PLACE])
        consumer.seek_to_beginning()
        found: list[bytes | None] = []
        wait_for(lambda: len(take(consumer, found)) >= 3)
        assert found == [b"3", b"4", b"5"]
    broker.child.kill()
    broker.start()
    with Consumer(servers) as consumer:
        assert consumer.beginning_offsets([PLACE])[PLACE] == 3
        assert consumer.end_offsets([PLACE])[PLACE] == 6
