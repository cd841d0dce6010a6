"""PRODUCE and MULTIPRODUCE over a socket: nothing is ever answered, and what is wrong closes."""

from typing import cast

import pytest

from barnabas.broker.apis07 import produce as handling
from barnabas.broker.broker import Broker
from barnabas.broker.purgatory.pending import Pending
from barnabas.broker.replicas.slow_rolls import ROLLS_IN_STEP
from barnabas.coordinators.internal_topics import INTERNAL_TOPICS
from barnabas.dialects.kafka07.frames import encode_request
from barnabas.dialects.kafka07.messages import MultiProduceRequest, ProduceRequest
from barnabas.errors import ErrorCode
from barnabas.records.codecs.compression import Codec, compress
from barnabas.records.messages07.message07 import encode_message, encode_set, read_messages
from barnabas.testing import EmbeddedBroker
from tests.unit.broker.in_memory import STEPS_A_SLICE, a_broker, asked, slowly
from tests.unit.broker.replicas.test_replica_manager import a_request
from tests.unit.runtime.manual_timers import ManualTimers
from tests.wires import golden07
from tests.wires.golden07 import M0, M1
from tests.wires.wire07 import Wire07

BAD = M1[:-1] + b"!"


def produce(topic: str, partition: int, messages: bytes) -> ProduceRequest:
    return ProduceRequest(topic=topic, partition=partition, messages=messages)


def test_what_is_stored_is_what_was_sent(broker: EmbeddedBroker, wire: Wire07) -> None:
    everything = M0 + M1 + golden07.GZIPPED + golden07.SNAPPED + golden07.EMPTY_0
    wire.produce("kept", 1, everything)
    assert wire.fetch("kept", 1) == (0, everything)
    assert (broker.data_dir / "kept-1/00000000000000000000.kafka").read_bytes() == everything


def test_partition_minus_one_is_any(wire: Wire07) -> None:
    for _ in range(64):
        wire.produce("wide", -1, M1)
    sizes = [len(wire.fetch("wide", partition)[1]) for partition in range(4)]
    # One of them stays empty once in 25 million runs.
    assert all(sizes)


def test_a_topic_is_made_by_writing_even_nothing(broker: EmbeddedBroker, wire: Wire07) -> None:
    wire.produce("made", 1, b"")
    assert wire.fetch("made", 1) == (0, b"")
    assert sorted(path.name for path in broker.data_dir.glob("made-*")) == ["made-0", "made-1"]


def test_a_set_that_is_cut_off_is_stored_up_to_there(wire: Wire07) -> None:
    wire.produce("tail", 0, M1 + M0[:-1])
    assert wire.fetch("tail") == (0, M1)


@pytest.mark.parametrize(
    "messages",
    [
        M1 + BAD,
        M1[:-1],
        M1 + b"\xff\xff\xff\xff" + M1[4:],
        M1[:4] + b"\x02" + M1[5:],
        M1[:5] + b"\x03" + M1[6:],
        encode_message(b"", codec=Codec.GZIP),
        encode_message(b"no gzip", codec=Codec.GZIP),
        encode_message(compress(Codec.GZIP, BAD), codec=Codec.GZIP),
        encode_message(compress(Codec.SNAPPY, M1 + b"\xff\xff\xff\xff"), codec=Codec.SNAPPY),
    ],
)
def test_what_is_wrong_closes_and_nothing_of_its_set_is_stored(
    broker: EmbeddedBroker, wire: Wire07, messages: bytes
) -> None:
    wire.produce("wrong", 0, messages)
    assert wire.is_closed()
    with Wire07(broker.port) as other:
        assert other.fetch("wrong") == (0, b"")


@pytest.mark.parametrize(
    ("topic", "partition"),
    [("closes", 2), ("closes", -2), ("../up", 0), ("", 0), (".", 0), ("a b", 0), ("nul\x00", 0)],
)
def test_what_cannot_be_written_to_closes(
    broker: EmbeddedBroker, wire: Wire07, topic: str, partition: int
) -> None:
    wire.produce(topic, partition, M1)
    assert wire.is_closed()
    assert not (broker.data_dir.parent / "up-0").exists()


@pytest.mark.parametrize("topic", sorted(INTERNAL_TOPICS))
def test_topics_of_coordinators_are_not_made_by_writing(
    broker: EmbeddedBroker, wire: Wire07, topic: str
) -> None:
    """They would be of Kafka 0.7's format, and no group could commit any more."""
    wire.produce(topic, 0, M1)
    assert wire.is_closed()
    assert not list(broker.data_dir.glob(f"{topic}-*"))


def test_a_message_that_is_too_large_is_dropped_with_its_set(wire: Wire07) -> None:
    wire.produce("large", 0, M1 + encode_message(bytes(1001)))
    wire.produce("large", 0, encode_message(bytes(1000)))
    assert wire.fetch("large") == (0, encode_message(bytes(1000)))


def test_several_are_stored_up_to_the_first_that_is_wrong(
    broker: EmbeddedBroker, wire: Wire07
) -> None:
    large = encode_message(bytes(1001))
    wire.send(
        MultiProduceRequest(
            produces=[
                produce("multi", 0, M1), produce("multi", 1, large), produce("multi", 1, M0),
                produce("multi", 0, BAD), produce("multi", 0, M0),
            ]
        )
    )  # fmt: skip
    assert wire.is_closed()
    with Wire07(broker.port) as other:
        assert other.fetch("multi", 0) == (0, M1)
        assert other.fetch("multi", 1) == (0, M0)


@pytest.mark.parametrize("length", [-1, 16, 2**31 - 1])
def test_a_length_of_messages_that_lies_closes(wire: Wire07, length: int) -> None:
    frame = golden07.PRODUCE[:16] + length.to_bytes(4, "big", signed=True) + M1
    wire.send(frame)
    assert wire.is_closed()


def test_more_messages_in_one_than_it_has_bytes_are_stored_one_by_one(wire: Wire07) -> None:
    """For readers of today each has an offset, and there are not so many in the compressed one."""
    wrapper = encode_set([b""] * 900, codec=Codec.GZIP)
    assert len(wrapper) < 900
    wire.produce("hard", 0, wrapper)
    _, stored = wire.fetch("hard")
    assert len(stored) == 900 * 10
    assert len(read_messages(stored)[0]) == 900


def test_many_new_topics_at_once_keep_the_order() -> None:
    """What the same client sends behind them comes behind them."""
    names = [f"many{number}" for number in range(20)]
    produces = [produce(name, 0, M1) for name in names]
    with (
        EmbeddedBroker({"num.partitions": "1"}, profile="0.7") as broker,
        Wire07(broker.port) as wire,
    ):
        wire.send(MultiProduceRequest(produces=[*produces, produce(names[0], 0, M0)]))
        wire.produce(names[-1], 0, M0)
        for name, stored in ((names[0], M1 + M0), (names[10], M1), (names[-1], M1 + M0)):
            assert wire.fetch(name) == (0, stored)


def test_what_comes_behind_many_new_topics_is_stored_though_its_client_has_left() -> None:
    produces = [produce(f"left{number}", 0, M1) for number in range(20)]
    with EmbeddedBroker({"num.partitions": "1"}, profile="0.7") as broker:
        with Wire07(broker.port) as leaving:
            many = encode_request(MultiProduceRequest(produces=produces)).joined()
            leaving.send(many + encode_request(produce("left19", 0, M0)).joined())
        with Wire07(broker.port) as wire:
            # Each answer takes a turn of the loop, in which a topic is made.
            answers = (wire.fetch("left19") for _ in range(1000))
            assert (0, M1 + M0) in answers


def test_others_are_served_between_many_new_topics(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def to_write(_: Broker, topic: str, index: int) -> ErrorCode:
        del index
        made.append(topic)
        return ErrorCode.MESSAGE_TOO_LARGE

    monkeypatch.setattr(handling, "to_write", to_write)
    broker = slowly(a_broker())
    received = bytearray(M1)
    asked_for = a_request(*((f"t{n}", 0, memoryview(received)) for n in range(15)), acks=0)
    pending = handling.handle(broker, asked(3), asked_for)
    assert isinstance(pending, Pending)
    timers = cast("ManualTimers", broker.timers)
    for turn in (1, 2, 3):
        assert (len(made), pending.is_done) == (turn * STEPS_A_SLICE, False)
        timers.next.pop(0)()
    timers.run_soon()
    assert (made, pending.is_done) == ([f"t{n}" for n in range(15)], True)
    received[:] = bytes(len(received))
    kept = [one.records for topic in asked_for.topic_data for one in topic.partition_data]
    assert kept == [M1] * 15, "they are copies"


@pytest.mark.parametrize(("sets", "is_slow"), [(200, False), (201, True)])
def test_many_sets_are_a_slow_request(
    sets: int,
    is_slow: bool,  # noqa: FBT001 - a parameter
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Ten connections with 32,767 sets each were served in one turn of the loop, which took 2 s."""
    code = ErrorCode.MESSAGE_TOO_LARGE
    monkeypatch.setattr(handling, "to_write", lambda *_: code)
    broker = a_broker()
    broker.topics.create("t", {0: [broker.config.node_id]}, {})
    asked_for = a_request(*[("t", 0, memoryview(M1))] * sets, acks=0)
    handling.handle(broker, asked(3), asked_for)
    assert broker.slow_requests.crowded is is_slow


def test_one_request_begins_few_segments(broker: EmbeddedBroker, wire: Wire07) -> None:
    """3,000 sets that each began a segment held up all others for 3 s."""
    sets = [produce("tiny", 0, M1 * 10)] * 100
    assert len(M1) * 10 > 100, "each ends its segment"
    segments, size = [], 0
    for _ in range(2):
        wire.send(encode_request(MultiProduceRequest(produces=sets)).joined())
        segments.append(len(wire.offsets("tiny", 0, -1, 1000)) - 1)
        size += 100 * len(M1) * 10
    assert segments[0] <= ROLLS_IN_STEP + 1 < segments[1] <= 2 * ROLLS_IN_STEP + 1
    assert wire.offsets("tiny", 0, -1, 1) == [size], "all is stored"
