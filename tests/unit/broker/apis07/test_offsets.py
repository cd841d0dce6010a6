"""OFFSETS over a socket: segments by the time of their last change, greatest offset first."""

import os
import time

import pytest

from barnabas.dialects.kafka07.messages import OffsetsRequest
from barnabas.records.messages07.message07 import encode_message
from barnabas.testing import EmbeddedBroker
from tests.wires.wire07 import Wire07

FAR = 2**63 - 1
STARTS = [216, 108, 0]


def fill(broker: EmbeddedBroker, wire: Wire07, topic: str) -> None:
    """20 sets of 12 bytes in segments of 100, as Kafka's own test does; changed at second 1, 2, 3."""
    for _ in range(20):
        wire.produce(topic, 0, encode_message(b"42"))
    assert wire.fetch(topic, offset=240) == (0, b"")
    for second, start in enumerate(reversed(STARTS), start=1):
        os.utime(broker.data_dir / f"{topic}-0/{start:020d}.kafka", (second, second))


def test_what_kafkas_own_test_says(broker: EmbeddedBroker, wire: Wire07) -> None:
    for _ in range(20):
        wire.produce("upstream", 0, encode_message(b"42"))
    assert wire.offsets("upstream", 0, -1, 10) == [240, *STARTS]
    assert wire.offsets("upstream", 0, -2, 10) == [0]
    assert wire.offsets("upstream", 0, int(time.time() * 1000) + 60_000, 10) == [240, *STARTS]


@pytest.mark.parametrize(
    ("when", "most", "found"),
    [
        (-1, 1, [240]),
        (-1, 2, [240, 216]),
        (-1, 0, []),
        (-2, 1, [0]),
        (-2, 0, []),
        (-3, 10, []),
        (999, 10, []),
        (1000, 10, [0]),
        (2999, 10, [108, 0]),
        (3000, 10, [240, *STARTS]),
        (3001, 2, [240, 216]),
        (1_000_000, 10, [240, *STARTS]),
        (FAR, 10, [240, *STARTS]),
    ],
)
def test_by_time(
    broker: EmbeddedBroker, wire: Wire07, when: int, most: int, found: list[int]
) -> None:
    fill(broker, wire, f"by-time-{when}-{most}".replace("--", "-minus-"))
    assert wire.offsets(f"by-time-{when}-{most}".replace("--", "-minus-"), 0, when, most) == found


@pytest.mark.parametrize(("when", "found"), [(-1, [0]), (-2, [0]), (FAR, []), (5, [])])
def test_of_nothing(wire: Wire07, when: int, found: list[int]) -> None:
    assert wire.offsets("nothing", 1, when, 0) == found


@pytest.mark.parametrize(
    ("topic", "partition", "most"), [("there", 0, -1), ("there", 2, 1), ("../x", 0, 1)]
)
def test_what_cannot_be_asked_closes(wire: Wire07, topic: str, partition: int, most: int) -> None:
    wire.produce("there", 0, encode_message(b""))
    wire.send(OffsetsRequest(topic=topic, partition=partition, time=-1, max_number=most))
    assert wire.is_closed()
