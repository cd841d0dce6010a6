"""Frames from a stranger: that connection is closed, the others are served."""

import random
import struct

import pytest

from tests.interop.brokers import InteropBroker
from tests.interop.raw import Raw, framed, header

pytestmark = pytest.mark.interop

VERSIONS = framed(header(18, 0))
CLOSING = {
    "negative size": struct.pack(">i", -1) + b"x" * 8,
    "the largest size": struct.pack(">i", 2**31 - 1) + b"x" * 8,
    "just over socket.request.max.bytes": struct.pack(">i", 104_857_601) + b"x" * 8,
    "nothing at all": framed(b""),
    "half a header": framed(header(18, 0)[:5]),
    "a client id past the end": framed(struct.pack(">hhih", 18, 0, 1, 500)),
    "an API nobody knows": framed(header(12_345, 0)),
    "a version nobody knows": framed(header(3, 99)),
    "a message cut short": framed(header(3, 5) + b"\x00\x00"),
    "an array of two thousand million": framed(header(3, 5) + struct.pack(">i", 2_000_000_000)),
    "a string past the end": framed(header(3, 5) + struct.pack(">ih", 1, 30_000) + b"abc"),
    "another protocol": b"GET / HTTP/1.1\r\nHost: somewhere\r\n\r\n",
}


def serves(broker: InteropBroker) -> bool:
    """Whether a new connection is answered."""
    with Raw(broker.bootstrap_servers) as connection:
        return connection.ask(VERSIONS) is not None


@pytest.mark.parametrize("name", CLOSING)
def test_a_frame_that_makes_no_sense_closes_its_connection_only(
    broker: InteropBroker, name: str
) -> None:
    with Raw(broker.bootstrap_servers) as bystander, Raw(broker.bootstrap_servers) as hostile:
        assert bystander.ask(VERSIONS) is not None
        hostile.send(CLOSING[name])
        assert hostile.closed()
        assert bystander.ask(VERSIONS) is not None


def test_a_version_of_apiversions_nobody_knows_is_answered_in_the_oldest_form(
    broker: InteropBroker,
) -> None:
    with Raw(broker.bootstrap_servers) as connection:
        answer = connection.ask(framed(header(18, 99) + b"\x00\x00\x00"))
        assert answer is not None
        correlation, code, count = struct.unpack_from(">ihi", answer)
        assert (correlation, code) == (1, 35)
        keys = {struct.unpack_from(">hhh", answer, 10 + 6 * index)[0] for index in range(count)}
        assert 18 in keys


def test_noise_from_many_connections(broker: InteropBroker) -> None:
    chance = random.Random(7)
    for _ in range(200):
        with Raw(broker.bootstrap_servers) as hostile:
            hostile.send(chance.randbytes(chance.randrange(1, 400)))
    assert serves(broker)
