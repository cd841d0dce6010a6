"""FETCH and MULTIFETCH over a socket: each edge that seed 000 names, each code there is."""

from collections.abc import Callable

import pytest

from barnabas.dialects.kafka07.messages import FetchRequest
from barnabas.records.messages07.message07 import encode_message, encode_set
from barnabas.testing import EmbeddedBroker
from tests.wires import golden07
from tests.wires.golden07 import M1
from tests.wires.wire07 import Wire07

Filled = Callable[[str], bytes]

TEN = [encode_message(bytes([48 + number]) * 20) for number in range(10)]
"""Ten messages of 30 bytes."""


@pytest.fixture
def filled(wire: Wire07) -> Filled:
    """Fills a topic with ten messages, one set each, so that segments of 100 bytes are rolled."""

    def fill(topic: str) -> bytes:
        if wire.offsets(topic, 0, -1, 1) == [0]:
            for message in TEN:
                wire.produce(topic, 0, message)
        assert wire.fetch(topic, offset=300) == (0, b"")
        return b"".join(TEN)

    return fill


def test_the_golden_conversation(wire: Wire07) -> None:
    wire.send(golden07.PRODUCE)
    wire.send(golden07.FETCH)
    assert bytes(wire.reply()) == golden07.FETCHED[4:]
    wire.send(golden07.MULTIFETCH)
    assert bytes(wire.reply()) == golden07.MULTIFETCHED[4:]


def test_a_fetch_is_cut_where_it_happens_to_end(wire: Wire07, filled: Filled) -> None:
    """Seed 000: "If it ends halfway through a message header, you get a broken header"."""
    log = filled("cut")
    for size in (0, 1, 3, 9, 29, 31, 64, 65):
        assert wire.fetch("cut", size=size) == (0, log[:size])


def test_bytes_that_retention_has_deleted_are_out_of_range() -> None:
    config = {
        "log.file.size": "100", "log.retention.size": "100", "log.retention.check.interval.ms": "10",
    }  # fmt: skip
    with EmbeddedBroker(config, profile="0.7") as broker, Wire07(broker.port) as wire:
        for _ in range(20):
            wire.produce("old", 0, encode_message(b"x" * 20))
        start = 480  # Of the last segment: it goes on as long as there is any other.
        while wire.offsets("old", 0, -2, 1) != [start]:
            pass
        assert wire.fetch("old", offset=0) == (1, b"")
        assert wire.fetch("old", offset=start - 1) == (1, b"")
        assert wire.fetch("old", offset=start)[0] == 0


def test_a_fetch_stays_in_one_segment(wire: Wire07, filled: Filled) -> None:
    """Seed 000: "A fetch of messages will not cross the segment boundary"."""
    log = filled("segments")
    at, parts = 0, []
    while at < len(log):
        _, part = wire.fetch("segments", offset=at)
        parts.append(len(part))
        assert part == log[at : at + len(part)]
        at += len(part)
    assert parts == [120, 120, 60]


def test_segments_are_named_by_their_byte_and_a_little_longer_than_configured(
    broker: EmbeddedBroker, filled: Filled
) -> None:
    filled("named")
    files = sorted(broker.data_dir.glob("named-0/*.kafka"))
    assert [(file.name, file.stat().st_size) for file in files] == [
        ("00000000000000000000.kafka", 120),
        ("00000000000000000120.kafka", 120),
        ("00000000000000000240.kafka", 60),
    ]


def test_an_offset_inside_a_message_gives_the_rest_of_it(wire: Wire07, filled: Filled) -> None:
    """Seed 000: "What happens when you ask for an offset that's in the middle of a message?"."""
    log = filled("inside")
    assert wire.fetch("inside", offset=7, size=40) == (0, log[7:47])


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        (("codes", 0, 0, 30), 0),
        (("codes", 0, 301, 30), 1),
        (("codes", 0, -1, 30), 1),
        (("codes", 2, 0, 30), 3),
        (("codes", -1, 0, 30), 3),
        (("nothing-yet", 1, 0, 30), 0),
        (("nothing-yet", 1, 99, 30), 0),
        (("nothing-yet", 2, 0, 30), 3),
        (("wide", 3, 0, 30), 0),
        (("wide", 4, 0, 30), 3),
        (("codes", 0, 0, -1), 4),
        (("", 0, 0, 30), -1),
        (("../codes", 0, 0, 30), -1),
        (("..", 0, 0, 30), -1),
        (("a/b", 9, 0, 30), -1),
        (("x" * 300, 0, 0, 30), -1),
        (("nul\x00", 0, 0, 30), -1),
    ],
)
def test_codes(wire: Wire07, filled: Filled, asked: tuple[str, int, int, int], code: int) -> None:
    log = filled("codes")[:30]
    expected = log if (asked[0], code) == ("codes", 0) else b""
    assert wire.fetch(*asked) == (code, expected)


def test_reading_makes_no_topic(broker: EmbeddedBroker, wire: Wire07) -> None:
    assert wire.fetch("only-read") == (0, b"")
    assert wire.offsets("only-read", 0, -1, 1) == [0]
    assert not list(broker.data_dir.glob("only-read*"))


def test_parts_have_their_own_codes_in_order(wire: Wire07, filled: Filled) -> None:
    log = filled("several")
    assert wire.fetch_several(
        ("several", 0, 30, 30), ("several", 7, 0, 30), ("../x", 0, 0, 30),
        ("several", 0, 999, 30), ("several", 0, 30, 30),
    ) == [(0, log[30:60]), (3, b""), (-1, b""), (1, b""), (0, log[30:60])]  # fmt: skip
    assert wire.fetch_several() == []


def test_a_topic_of_today_cannot_be_read_by_bytes() -> None:
    config = {
        "listeners": "PLAINTEXT://127.0.0.1:0,LEGACY://127.0.0.1:0",
        "listener.dialect.map": "LEGACY:kafka-0.7",
    }
    with EmbeddedBroker(config) as broker, Wire07(broker.port_of("LEGACY")) as wire:
        broker.create_topic("today")
        assert wire.fetch("today") == (3, b"")
        wire.produce("today", 0, M1)
        assert wire.is_closed()


@pytest.mark.parametrize(
    "frame",
    [
        b"\x00\x00\x00\x00",
        b"\xff\xff\xff\xff",
        b"\x7f\xff\xff\xff",
        b"\x00\x00\x00\x01\x00",
        b"\x00\x00\x00\x02\x00\x09",
        golden07.FETCH[:3] + b"\x10" + golden07.FETCH[4:20],
        golden07.FETCH[:6] + b"\xff\xff" + golden07.FETCH[8:],
        golden07.FETCH[:6] + b"\x7f\xff" + golden07.FETCH[8:],
        golden07.FETCH[:8] + b"\xff\xfe\xfd\xfc" + golden07.FETCH[12:],
        golden07.MULTIFETCH[:6] + b"\xff\xff" + golden07.MULTIFETCH[8:],
        golden07.MULTIFETCH[:6] + b"\x00\x03" + golden07.MULTIFETCH[8:],
    ],
)
def test_lies_close_the_connection_and_no_other(
    broker: EmbeddedBroker, wire: Wire07, frame: bytes
) -> None:
    with Wire07(broker.port) as liar:
        liar.send(frame)
        assert liar.is_closed()
    assert wire.fetch("lies") == (0, b"")


def test_requests_are_answered_in_order(wire: Wire07) -> None:
    wire.produce("order", 0, encode_set([b"one", b"two"]))
    for offset in (0, 13):
        wire.send(FetchRequest(topic="order", partition=0, offset=offset, max_size=99))
    first, second = bytes(wire.reply()), bytes(wire.reply())
    assert first[2:] == encode_set([b"one", b"two"])
    assert second[2:] == encode_set([b"two"])
