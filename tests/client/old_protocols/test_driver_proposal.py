"""The driver of the proposal on a broker of ours, the only one that speaks it."""

import threading
from collections.abc import Iterator

import pytest

from barnabas.driver_proposal import (
    EARLIEST,
    Connection,
    Consumer,
    FetchedSets,
    FetchStart,
    MessageSet,
    Producer,
    Stored,
)
from barnabas.errors import (
    BrokerError,
    ConnectionFailed,
    ErrorCode,
    LocalProtocolError,
    RequestTimeout,
)
from barnabas.records.codecs.compression import Codec
from barnabas.testing import EmbeddedBroker
from tests.wires.wire07 import Wire07

LONG_MS = 60_000
NONE = ErrorCode.NONE


@pytest.fixture(scope="module")
def broker() -> Iterator[EmbeddedBroker]:
    config = {
        "listeners": "PLAINTEXT://127.0.0.1:0,NEW://127.0.0.1:0,OLD://127.0.0.1:0",
        "listener.dialect.map": "NEW:proposal,OLD:kafka-0.7",
        "num.partitions": "2",
        "message.max.bytes": "1000",
    }
    with EmbeddedBroker(config) as made:
        yield made


@pytest.fixture
def connection(broker: EmbeddedBroker) -> Iterator[Connection]:
    with Connection("127.0.0.1", broker.port_of("NEW"), client_id="kennel") as made:
        yield made


def payloads(found: FetchedSets) -> list[list[bytes]]:
    return [[bytes(message.payload) for message in part.messages] for part in found.parts]


@pytest.mark.parametrize("codec", [Codec.NONE, Codec.GZIP, Codec.SNAPPY])
def test_what_is_sent_is_there_and_clients_of_07_read_it(
    broker: EmbeddedBroker, connection: Connection, codec: Codec
) -> None:
    topic = f"sent-{codec.name}"
    producer, consumer = Producer(connection, codec=codec), Consumer(connection)
    assert producer.send(topic, 0, b"rex", b"fido") == 0
    second = producer.send(topic, 0, b"bello")
    (end,) = consumer.offsets(topic, 0)
    assert 0 < second < end
    found = consumer.fetch(FetchStart(topic, 0, 0))
    assert payloads(found) == [[b"rex", b"fido", b"bello"]]
    assert found.parts[0].next_offset == end
    assert payloads(consumer.fetch(FetchStart(topic, 0, second))) == [[b"bello"]]
    assert consumer.offsets(topic, 0, EARLIEST) == [0]
    with Wire07(broker.port_of("OLD")) as old:
        code, data = old.fetch(topic)
    assert (code, len(data)) == (0, end)


def test_each_set_has_its_error_or_its_offset(connection: Connection) -> None:
    pending = Producer(connection).begin(
        MessageSet("p", 1, [b"one"]),
        MessageSet("q", 0, [bytes(1001)]),
        MessageSet("p", 1, [b"two"]),
        MessageSet("p", 7, [b"three"]),
    )
    assert pending is not None
    assert pending.result() == pending.result() == [
        Stored(0, NONE),
        Stored(-1, ErrorCode.MESSAGE_TOO_LARGE),
        Stored(13, NONE),
        Stored(-1, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
    ]  # fmt: skip
    with pytest.raises(BrokerError, match=r"MESSAGE_TOO_LARGE: q-0"):
        Producer(connection).send("q", 0, bytes(1001))


def test_acknowledgements(connection: Connection) -> None:
    consumer = Consumer(connection)
    quick = Producer(connection, required_acks=0)
    assert quick.send("acks", 0, b"a") == -1
    assert quick.begin(MessageSet("acks", 0, [b"b"])) is None
    assert payloads(consumer.fetch(FetchStart("acks", 0, 0))) == [[b"a", b"b"]]
    both = Producer(connection, required_acks=2, ack_timeout_ms=1)
    with pytest.raises(BrokerError) as late:
        both.send("acks", 0, b"c")
    assert late.value.code is ErrorCode.REQUEST_TIMED_OUT
    with pytest.raises(BrokerError, match="does not process"):
        Producer(connection, required_acks=-1).send("acks", 0, b"d")
    assert payloads(consumer.fetch(FetchStart("acks", 0, 0))) == [[b"a", b"b", b"c"]]
    with pytest.raises(LocalProtocolError, match="ZSTD"):
        Producer(connection, codec=Codec.ZSTD)


def test_a_poll_is_overtaken_and_ends_with_what_it_waits_for(connection: Connection) -> None:
    producer, consumer = Producer(connection), Consumer(connection)
    producer.send("poll", 0, b"first")
    polls = [
        consumer.begin(FetchStart("poll", 1, 0), max_wait_ms=LONG_MS, min_bytes=size)
        for size in (30, 1)
    ]
    assert payloads(consumer.fetch(FetchStart("poll", 0, 0))) == [[b"first"]]
    with pytest.raises(RequestTimeout):
        polls[1].result(0)
    assert not polls[1].done()
    producer.send("poll", 1, b"dog")
    assert payloads(polls[1].result()) == [[b"dog"]]
    assert not polls[0].done()
    producer.send("poll", 1, b"another dog")
    assert payloads(polls[0].result()) == [[b"dog", b"another dog"]]
    assert payloads(consumer.fetch(FetchStart("poll", 1, 34), max_wait_ms=1, min_bytes=1)) == [[]]


def test_several_places_in_the_order_asked_with_the_first_error(connection: Connection) -> None:
    producer, consumer = Producer(connection), Consumer(connection)
    for topic, partition in (("x", 0), ("x", 1), ("y", 0)):
        producer.send(topic, partition, f"{topic}{partition}".encode())
    found = consumer.fetch(
        FetchStart("x", 1, 0), FetchStart("y", 0, 0), FetchStart("x", 9, 0), FetchStart("x", 0, 0)
    )
    assert payloads(found) == [[b"x1"], [b"y0"], [], [b"x0"]]
    assert found.error is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    with pytest.raises(BrokerError, match="OFFSET_OUT_OF_RANGE: x-0"):
        consumer.fetch(FetchStart("x", 0, 999))
    with pytest.raises(BrokerError, match="UNKNOWN_TOPIC_OR_PARTITION: x-9"):
        consumer.offsets("x", 9)


def test_many_threads_on_one_connection(connection: Connection) -> None:
    """Each thread gets its own responses, whichever of them receives."""
    producer, consumer = Producer(connection), Consumer(connection)
    wrong: list[object] = []

    def work(number: int) -> None:
        topic = f"thread-{number}"
        for index in range(25):
            payload = b"%d %d" % (number, index)
            offset = producer.send(topic, 0, payload)
            poll = consumer.begin(FetchStart(topic, 1, 0), max_wait_ms=1, min_bytes=1)
            if payloads(consumer.fetch(FetchStart(topic, 0, offset))) != [[payload]]:
                wrong.append(payload)
            if payloads(poll.result()) != [[]]:
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_connection_that_ends_tells_all_who_wait_and_the_next_request_connects() -> None:
    config = {"listeners": "NEW://127.0.0.1:0", "listener.dialect.map": "NEW:proposal"}
    with EmbeddedBroker(config) as broker:
        connection = Connection("127.0.0.1", broker.port_of("NEW"))
        consumer = Consumer(connection)
        Producer(connection).send("end", 0, b"x")
        poll = consumer.begin(FetchStart("end", 0, 11), max_wait_ms=LONG_MS, min_bytes=1)
        quick = Producer(connection, required_acks=0)
        quick.send("end", 9, b"closes the connection: there is no such partition")
        with pytest.raises(ConnectionFailed):
            poll.result()
        with pytest.raises(ConnectionFailed):
            poll.result()
        assert payloads(consumer.fetch(FetchStart("end", 0, 0))) == [[b"x"]]
        poll = consumer.begin(FetchStart("end", 0, 11), max_wait_ms=LONG_MS, min_bytes=1)
        received: list[object] = []

        def wait() -> None:
            try:
                poll.result()
            except ConnectionFailed as error:
                received.append(error)

        waiting = threading.Thread(target=wait)
        waiting.start()
        connection.close()
        waiting.join(20)
        assert len(received) == 1
        with pytest.raises(LocalProtocolError, match="is closed"):
            consumer.offsets("end", 0)
    with pytest.raises(ConnectionFailed):
        Consumer(Connection("127.0.0.1", 1)).offsets("end", 0)
