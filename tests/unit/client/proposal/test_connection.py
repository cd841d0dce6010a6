"""Responses without a request, wrong ones, and closed connections: the test has the socket's other end."""

import socket
import threading
from collections.abc import Iterator

import pytest

from barnabas.client.proposal.connection import Connection
from barnabas.client.proposal.consumer import Consumer, FetchStart
from barnabas.client.proposal.producer import MessageSet, Producer
from barnabas.errors import BrokerError, ConnectionFailed, DecodeError, ErrorCode, RequestTimeout
from barnabas.records.messages07.message07 import InvalidMessage, encode_message
from tests.wires.golden07 import M1

DOGS = "0004 646f6773"
PRODUCED = "00000016 {:08x} 0000 0000 0001 0000 0001 00000000000000{:02x}"


class FakeBroker:
    """One listener; `answer` sends what the test says to who has connected last."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._peer: socket.socket | None = None
        self.port: int = self._listener.getsockname()[1]

    def take(self, frames: int = 1) -> bytes:
        """So many requests."""
        return b"".join([self._frame() for _ in range(frames)])

    def _frame(self) -> bytes:
        size = self._read(4)
        return size + self._read(int.from_bytes(size, "big"))

    def _read(self, size: int) -> bytes:
        if self._peer is None:
            self._peer = self._listener.accept()[0]
            self._peer.settimeout(20)
        found = b""
        while len(found) < size:
            found += self._peer.recv(size - len(found))
        return found

    def answer(self, text: str) -> None:
        assert self._peer is not None
        self._peer.sendall(bytes.fromhex(text))

    def hang_up(self) -> None:
        assert self._peer is not None
        self._peer.close()
        self._peer = None

    def close(self) -> None:
        if self._peer is not None:
            self._peer.close()
        self._listener.close()


@pytest.fixture
def broker() -> Iterator[FakeBroker]:
    made = FakeBroker()
    yield made
    made.close()


@pytest.fixture
def connection(broker: FakeBroker) -> Iterator[Connection]:
    with Connection(
        "127.0.0.1", broker.port, client_id="me", socket_timeout_ms=20_000, largest_reply=1000
    ) as made:
        yield made


def test_requests_are_the_golden_bytes(broker: FakeBroker, connection: Connection) -> None:
    producer = Producer(connection, required_acks=1, ack_timeout_ms=1000)
    pending = producer.begin(
        MessageSet("dogs", 0, [b"hello"]),
        MessageSet("dogs", 1, []),
        MessageSet("cats", 0, [b"hello"]),
    )
    produce = bytes.fromhex(
        f"00000059 0000 0000 00000001 0002 6d65 01 000003e8 0002 {DOGS} 0002 00000000 0000000f"
        f" {M1.hex()} 00000001 00000000 0004 63617473 0001 00000000 0000000f {M1.hex()}"
    )
    assert broker.take() == produce
    broker.answer("0000002a 00000001 0000 0000 0003 0000 000a 0000 0003 0000000000000000")
    broker.answer("ffffffffffffffff 000000000000000f")
    assert pending is not None
    assert pending.result() == [
        (0, ErrorCode.NONE), (-1, ErrorCode.MESSAGE_TOO_LARGE), (15, ErrorCode.NONE),
    ]  # fmt: skip
    polled = Consumer(connection).begin(
        FetchStart("dogs", 0, 15), FetchStart("dogs", 1, 1 << 40), max_wait_ms=500, min_bytes=1
    )
    fetch = bytes.fromhex(
        "0000003c 0001 0000 00000002 0002 6d65 ffffffff 000001f4 00000001 0001"
        f" {DOGS} 0002 00000000 00000001 0002 000000000000000f 0000010000000000"
    )
    assert broker.take() == fetch
    broker.answer(f"00000031 00000002 0000 0000 0001 {DOGS} 0002 00000000 0000000f {M1.hex()}")
    broker.answer("00000001 00000000")
    first, second = polled.result().parts
    assert [bytes(message.payload) for message in first.messages] == [b"hello"]
    assert (first.next_offset, second.next_offset) == (30, 1 << 40)


def test_answers_in_any_order(broker: FakeBroker, connection: Connection) -> None:
    producer = Producer(connection)
    pending = [producer.begin(MessageSet("dogs", 0, [b"hello"])) for _ in range(3)]
    broker.take(3)
    for number in (3, 1, 2):
        broker.answer(PRODUCED.format(number, number))
    for number, one in enumerate(pending, start=1):
        assert one is not None
        assert one.result() == [(number, ErrorCode.NONE)]


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (PRODUCED.format(7, 0), "that of a request, not 7"),
        ("00000007", "from 8 to 1000, not 7"),
        ("7fffffff", "from 8 to 1000, not 2147483647"),
        ("ffffffff", "from 8 to 1000, not -1"),
    ],
)
def test_lies_end_the_connection_for_all(
    broker: FakeBroker, connection: Connection, given: str, why: str
) -> None:
    producer = Producer(connection)
    pending = [producer.begin(MessageSet("dogs", 0, [b"hello"])) for _ in range(2)]
    broker.take(2)
    broker.answer(given)
    for one in pending:
        assert one is not None
        with pytest.raises(DecodeError, match=why):
            one.result()


@pytest.mark.parametrize(
    ("body", "error", "why"),
    [
        ("0001 0000 0001", DecodeError, "offsets"),
        ("0000 0000", DecodeError, "1 of each, not 0 and 0"),
        ("0002 0000 0000 0001 0000000000000000", DecodeError, "1 of each, not 2 and 1"),
        ("ffff", DecodeError, "errors"),
    ],
)
def test_an_answer_that_cannot_be_read_is_an_error_of_its_request(
    broker: FakeBroker, connection: Connection, body: str, error: type[Exception], why: str
) -> None:
    producer = Producer(connection)
    pending = [producer.begin(MessageSet("dogs", 0, [b"hello"])) for _ in range(2)]
    broker.take(2)
    data = bytes.fromhex(f"00000001 0000 0000 {body}")
    broker.answer(f"{len(data):08x} {data.hex()}")
    broker.answer(PRODUCED.format(2, 5))
    first, second = pending
    assert first is not None
    assert second is not None
    with pytest.raises(error, match=why):
        first.result()
    assert second.result() == [(5, ErrorCode.NONE)]


def test_another_version_is_refused(broker: FakeBroker, connection: Connection) -> None:
    pending = Producer(connection).begin(MessageSet("dogs", 0, [b"hello"]))
    broker.take()
    broker.answer("0000000c 00000001 0001 0000 0000 0000")
    assert pending is not None
    with pytest.raises(DecodeError, match="version_id"):
        pending.result()


@pytest.mark.parametrize(
    ("body", "error", "why"),
    [
        ("0005 0000", BrokerError, "INVALID_REQUEST: dogs-0, dogs-1"),
        ("0000 0000", DecodeError, "something of dogs-0"),
        (f"0000 0001 {DOGS} 0001 00000000 00000000", DecodeError, "something of dogs-1"),
        (
            f"0000 0001 {DOGS} 0002 00000000 0000000f {M1.hex()[:-2]}00 00000001 00000000",
            InvalidMessage,
            "CRC",
        ),
    ],
)
def test_what_a_fetch_may_bring(
    broker: FakeBroker, connection: Connection, body: str, error: type[Exception], why: str
) -> None:
    pending = Consumer(connection).begin(FetchStart("dogs", 0, 0), FetchStart("dogs", 1, 0))
    broker.take()
    data = bytes.fromhex(f"00000001 0000 {body}")
    broker.answer(f"{len(data):08x} {data.hex()}")
    with pytest.raises(error, match=why):
        pending.result()


def test_answers_are_taken_while_a_large_request_goes_out(broker: FakeBroker) -> None:
    """The broker reads nothing more until somebody has taken what it answers."""
    size = 12 << 20
    message = encode_message(bytes(size))
    data = bytes.fromhex(f"00000001 0000 0000 0001 {DOGS} 0001 00000000 {len(message):08x}")
    with Connection("127.0.0.1", broker.port, socket_timeout_ms=20_000) as connection:
        fetching = Consumer(connection).begin(FetchStart("dogs", 0, 0))
        broker.take()

        def answer_first() -> None:
            broker.answer(f"{len(data) + len(message):08x} {(data + message).hex()}")
            broker.take()
            broker.answer(PRODUCED.format(2, 9))

        answering = threading.Thread(target=answer_first)
        answering.start()
        try:
            sending = Producer(connection).begin(MessageSet("dogs", 0, [bytes(size)]))
            assert sending is not None
            assert sending.result() == [(9, ErrorCode.NONE)]
            assert fetching.done()
            assert len(fetching.result().parts[0].messages[0].payload) == size
        finally:
            connection.close()
            answering.join()


def test_a_broker_that_hangs_up(broker: FakeBroker, connection: Connection) -> None:
    producer = Producer(connection)
    lost = producer.begin(MessageSet("dogs", 0, [b"hello"]))
    broker.take()
    broker.hang_up()
    assert lost is not None
    with pytest.raises(ConnectionFailed):
        lost.result()
    again = producer.begin(MessageSet("dogs", 0, [b"hello"]))
    broker.take()
    broker.answer(PRODUCED.format(2, 5))
    assert again is not None
    assert again.result() == [(5, ErrorCode.NONE)]
    # It closes while it owes nothing: what is sent next must not be lost there.
    broker.hang_up()
    quick = Producer(connection, required_acks=0)
    quick.send("dogs", 0, b"hello")
    assert broker.take()[-5:] == b"hello"


def test_who_does_not_want_to_wait_may_ask_later(
    broker: FakeBroker, connection: Connection
) -> None:
    pending = Producer(connection).begin(MessageSet("dogs", 0, [b"hello"]))
    broker.take()
    assert pending is not None
    with pytest.raises(RequestTimeout, match="no response"):
        pending.result(0)
    broker.answer(PRODUCED.format(1, 9))
    assert pending.result() == [(9, ErrorCode.NONE)]
