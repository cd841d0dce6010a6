"""The requests that a broker received: in order, decoded when asked, never more than there is room for."""

import threading
from collections.abc import Iterator

import pytest

from barnabas import Consumer, Producer
from barnabas.errors import InvalidArgument, LocalProtocolError
from barnabas.protocol.metadata import MetadataRequest
from barnabas.testing import EmbeddedBroker
from barnabas.testing.request_log import RequestLog


@pytest.fixture
def broker() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker() as broker:
        broker.create_topic("dogs")
        yield broker


def test_requests_are_there_in_order_with_what_they_say(broker: EmbeddedBroker) -> None:
    servers = broker.bootstrap_servers
    with Producer(bootstrap_servers=servers, client_id="shop") as producer:
        for number in range(5):
            producer.send("dogs", f"dog {number}").result()
    produced = broker.requests.of("Produce")
    assert len(produced) == 5
    for one in produced:
        assert (one.api, one.client_id, one.topics) == ("Produce", "shop", frozenset({"dogs"}))
        (topic,) = one.message.topic_data
        assert b"dog" in bytes(topic.partition_data[0].records)
    assert len({one.connection for one in produced}) == 1
    times = [one.time_ms for one in broker.requests]
    assert times == sorted(times)
    assert broker.requests.of("Produce", topic="cats") == []
    assert broker.requests.of(client_id="shop")[-1] is produced[-1]
    assert broker.requests[-1] is produced[-1]
    assert "Produce" in repr(produced[0])
    broker.requests.clear()
    assert len(broker.requests) == 0


def test_they_are_there_when_the_broker_has_ended(broker: EmbeddedBroker) -> None:
    with Consumer(bootstrap_servers=broker.bootstrap_servers, group_id="pack") as consumer:
        consumer.assign([("dogs", 0)])
        consumer.commit({("dogs", 0): 0})
    broker.stop()
    (commit,) = broker.requests.of("OffsetCommit", group="pack")
    assert commit.message.group_id == "pack"
    assert commit.groups == {"pack"}
    assert commit.topics == {"dogs"}


def test_a_test_waits_for_a_request(broker: EmbeddedBroker) -> None:
    def later() -> None:
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            producer.send("dogs", "barks").result()

    thread = threading.Thread(target=later)
    thread.start()
    (produced,) = broker.requests.wait_for("Produce", topic="dogs", timeout_s=60)
    thread.join()
    assert produced.version >= 9
    with pytest.raises(AssertionError, match=r"2 Produce expected within 0.01 s, 1 came; in all: "):
        broker.requests.wait_for("Produce", count=2, timeout_s=0.01)
    with pytest.raises(InvalidArgument, match="did you mean Produce"):
        broker.requests.of("Prodce")


def test_none_are_kept_where_none_are_wanted() -> None:
    with EmbeddedBroker(record_requests=False) as broker:
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            producer.send("dogs", "barks").result()
        assert len(broker.requests) == 0


def frame(size: int) -> bytes:
    """The header of a Metadata request without a client id, and zeros."""
    return b"\0\3\0\1\0\0\0\1\xff\xff" + bytes(size - 10)


def test_old_requests_make_room_for_new_ones() -> None:
    log = RequestLog(lambda: 7)
    for _ in range(10_001):
        log.note(1, frame(20))
    assert len(log) == 10_000
    for number in range(20):
        log.note(number, frame(1 << 20))
    assert len(log) == 16
    assert log[0].connection == 4


def test_of_a_large_request_the_header_is_kept() -> None:
    log = RequestLog(lambda: 7)
    log.note(1, frame(2 << 20))
    (one,) = log
    assert (one.api, one.version, one.size, one.time_ms) == ("Metadata", 1, 2 << 20, 7)
    with pytest.raises(LocalProtocolError, match="larger than the 1048576 bytes"):
        assert one.message


def test_frames_behind_each_other_are_requests_each() -> None:
    log = RequestLog(lambda: 7)
    sized = (14).to_bytes(4) + frame(14)
    log.note_all(3, memoryview(sized + sized))
    assert [one.message for one in log] == 2 * [MetadataRequest(topics=[])]
    log.forget_last()
    assert len(log) == 1
