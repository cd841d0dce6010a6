"""The clock and the disk of a broker in a test."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from barnabas import Consumer, Producer
from barnabas.errors import DiskFull, ErrorCode, InvalidArgument
from barnabas.protocol.heartbeat import HeartbeatRequest, HeartbeatResponse
from barnabas.protocol.join_group import (
    JoinGroupRequest,
    JoinGroupRequestProtocol,
    JoinGroupResponse,
)
from barnabas.testing import EmbeddedBroker
from barnabas.testing.environment import DiskRoom, JumpingClock, LimitedDisk
from tests.unit.broker.raw_client import RawClient


def test_a_clock_jumps_forward_and_back() -> None:
    clock = JumpingClock()
    assert abs(clock.time_ms() - time.time_ns() // 1_000_000) < 10_000
    clock.jump(3600)
    clock.jump(-7200.5)
    assert clock.offset_s == -3600.5
    assert abs(clock.time_ms() + 3_600_500 - time.time_ns() // 1_000_000) < 10_000
    assert abs(clock.time_ns() // 1_000_000 - clock.time_ms()) < 10_000
    before = time.monotonic()
    assert before <= clock.monotonic() <= time.monotonic()
    clock.advance(60)
    assert clock.monotonic() >= before + 60
    assert clock.offset_s == -3540.5
    with pytest.raises(InvalidArgument, match=r"advance\(-1\): expected 0 or more; jump"):
        clock.advance(-1)


def test_records_are_as_old_as_the_clock_of_their_broker_says() -> None:
    config = {"log.message.timestamp.type": "LogAppendTime"}
    with EmbeddedBroker(config) as broker:
        broker.clock.jump(-86400)
        before = broker.clock.time_ms()
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            producer.send("dogs", "barks").result()
        with Consumer(bootstrap_servers=broker.bootstrap_servers) as consumer:
            consumer.assign([("dogs", 0)])
            consumer.seek_to_beginning()
            (record,) = consumer.poll(timeout_s=10)
        assert before <= record.timestamp <= broker.clock.time_ms()


def test_offsets_of_an_empty_group_expire_when_time_passes() -> None:
    with EmbeddedBroker({"offsets.retention.minutes": 60}) as broker:
        broker.create_topic("dogs")
        with Consumer(bootstrap_servers=broker.bootstrap_servers, group_id="pack") as consumer:
            consumer.assign([("dogs", 0)])
            consumer.commit({("dogs", 0): 0})
            broker.clock.advance(2 * 3600)
            until = time.monotonic() + 30
            while consumer.committed([("dogs", 0)]):
                assert time.monotonic() < until, "they are there still"


def test_a_member_that_is_silent_for_longer_than_its_session_is_out() -> None:
    with EmbeddedBroker() as broker, RawClient(broker.port) as client:
        asked = JoinGroupRequest(
            group_id="pack",
            session_timeout_ms=30_000,
            rebalance_timeout_ms=30_000,
            member_id="",
            protocol_type="consumer",
            protocols=[JoinGroupRequestProtocol(name="range", metadata=b"")],
        )
        member = client.ask(asked, 3, JoinGroupResponse).member_id
        beat = HeartbeatRequest(group_id="pack", generation_id=1, member_id=member)
        broker.clock.advance(29)
        codes = [client.ask(beat, 3, HeartbeatResponse).error_code]
        broker.clock.advance(31)
        codes.append(client.ask(beat, 3, HeartbeatResponse).error_code)
    assert codes == [ErrorCode.NONE, ErrorCode.UNKNOWN_MEMBER_ID]


def test_a_full_disk_takes_nothing_and_gives_what_is_there(tmp_path: Path) -> None:
    room, refused = DiskRoom(), []
    disk = LimitedDisk(room)
    path = str(tmp_path / "log")
    file = disk.open(path, create=True)
    file.write(0, [b"dogs"])
    room.on_refused = lambda: refused.append(1)
    actions: list[Callable[[], None]] = [
        lambda: file.write(4, [b"cats"]),
        lambda: disk.write_file(path, b"cats"),
        lambda: disk.replace_file(path, b"cats"),
        lambda: disk.make_directory(f"{path}s"),
    ]
    for action in actions:
        with pytest.raises(DiskFull, match="No space left"):
            action()
    assert len(refused) == 4
    assert disk.space(str(tmp_path))[1] == 0
    disk.make_directory(str(tmp_path))
    assert file.read(0, 9) == b"dogs"
    room.on_refused = None
    file.write(4, [b"cats"])
    assert file.read(0, 9) == b"dogscats"
    assert disk.space(str(tmp_path))[1] > 0
    file.close()
    disk.close()
