"""The proposal over a socket: answers by number, out of step, each set with its own error."""

from collections.abc import Iterator
from threading import Event
from typing import TypeVar, cast

import pytest

from barnabas.dialects.proposal.frames import Answer, decode_response
from barnabas.dialects.proposal.messages import (
    FetchResponse,
    OffsetsRequest,
    OffsetsResponse,
    PartitionData,
    ProduceResponse,
)
from barnabas.errors import ErrorCode
from barnabas.records.messages07.message07 import encode_message
from barnabas.runtime.files import open_files, sync_threads
from barnabas.testing import EmbeddedBroker
from tests.wires.golden07 import M0, M1
from tests.wires.proposal_wire import ProposalWire, fetch, produce
from tests.wires.wire07 import Wire07

BAD = M1[:-1] + b"!"
LONG_MS = 60_000
_Answer = TypeVar("_Answer", bound=Answer)


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
def wire(broker: EmbeddedBroker) -> Iterator[ProposalWire]:
    with ProposalWire(broker.port_of("NEW")) as made:
        yield made


def answer(wire: ProposalWire, kind: type[_Answer]) -> tuple[int, int, _Answer]:
    """Number, error and body of the next reply."""
    header, body = decode_response(wire.reply(), kind)
    return header.correlation_id, header.error, body


def produced(wire: ProposalWire) -> tuple[int, int, list[int], list[int]]:
    number, error, body = answer(wire, ProduceResponse)
    return number, error, body.errors, body.offsets


def taken(one: PartitionData) -> bytes:
    return bytes(cast("memoryview", one.messages))


def fetched(wire: ProposalWire) -> tuple[int, int, list[tuple[str, list[tuple[int, bytes]]]]]:
    number, error, body = answer(wire, FetchResponse)
    return number, error, [
        (topic.topic, [(one.partition, taken(one)) for one in topic.partition_data])
        for topic in body.data
    ]  # fmt: skip


def test_errors_and_offsets_have_the_order_of_the_sets(wire: ProposalWire) -> None:
    """Seed 001: "the Nth offset in the offset array corresponds to the Nth message set"."""
    large = encode_message(bytes(1001))
    sets = [("p", 0, M1), ("p", 1, BAD), ("q", 0, M0), ("p", 0, M0), ("p", 7, M1), ("q", 1, large)]
    wire.send(produce(1, *sets, ("../up", 0, M1)), 7)
    assert produced(wire) == (
        7, 0, [0, 2, 0, 0, 3, 10, -1], [0, -1, 0, 15, -1, -1, -1],
    )  # fmt: skip
    wire.send(fetch(("p", [0, 1], [0, 0]), ("q", [0], [0])), 8)
    assert fetched(wire) == (8, 0, [("p", [(0, M1 + M0), (1, b"")]), ("q", [(0, M0)])])


def test_no_acks_no_reply(wire: ProposalWire, caplog: pytest.LogCaptureFixture) -> None:
    """Seed 001: "0 yields the current async behavior"; client ids are there to "log it with errors"."""
    wire.send(produce(0, ("async", 0, M1)), 1)
    wire.send(fetch(("async", [0], [0])), 2)
    assert fetched(wire) == (2, 0, [("async", [(0, M1)])])
    wire.send(produce(0, ("async", 0, BAD)), 3)
    assert wire.is_closed()
    (closed,) = [one.__dict__ for one in caplog.records if one.message == "connection closed"]
    assert closed["client_id"] == "t"


def test_any_partition_is_chosen_by_the_broker(broker: EmbeddedBroker, wire: ProposalWire) -> None:
    sets = [("any", -1, M1)] * 30
    wire.send(produce(1, *sets), 1)
    _, error, errors, offsets = produced(wire)
    assert (error, set(errors)) == (0, {0})
    assert offsets.count(0) == 2, "both partitions begin with one of them"
    wire.send(fetch(("any", [0, 1], [0, 0])), 2)
    _, _, [(_, parts)] = fetched(wire)
    assert sum(len(messages) for _, messages in parts) == 30 * len(M1)


def test_what_flush_messages_says_comes_before_the_answer(
    broker: EmbeddedBroker, wire: ProposalWire, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker.create_topic("synced", 1, {"message.format.version": "0.7", "flush.messages": "1"})
    go_on, sync = Event(), open_files.sync_descriptor

    def slow(descriptor: int, path: str) -> None:
        assert go_on.wait(20)
        sync(descriptor, path)

    monkeypatch.setattr(sync_threads, "sync_descriptor", slow)
    wire.send(produce(1, ("synced", 0, M1)), 1)
    with ProposalWire(broker.port_of("NEW")) as other:
        other.send(fetch(("synced", [0], [0])), 2)
        assert fetched(other) == (2, 0, [("synced", [(0, b"")])])
        go_on.set()
        assert produced(wire) == (1, 0, [0], [0])
        other.send(fetch(("synced", [0], [0])), 3)
        assert fetched(other) == (3, 0, [("synced", [(0, M1)])])


def test_more_acks_than_replicas_time_out(wire: ProposalWire) -> None:
    """Seed 001: "the broker will respond back with an error even if"."""
    wire.send(produce(2, ("two", 0, M1), ("two", 1, BAD), timeout=1), 5)
    assert produced(wire) == (5, 0, [7, 2], [-1, -1])
    wire.send(fetch(("two", [0], [0])), 6)
    assert fetched(wire) == (6, 0, [("two", [(0, M1)])])


def test_negative_acks_are_an_error_of_the_request(wire: ProposalWire) -> None:
    wire.send(produce(-1, ("negative", 0, M1), ("negative", 1, M1)), 5)
    assert produced(wire) == (5, -1, [-1, -1], [-1, -1])
    wire.send(fetch(("negative", [0], [0])), 6)
    assert fetched(wire) == (6, 0, [("negative", [(0, b"")])])


def test_what_waits_is_overtaken(broker: EmbeddedBroker, wire: ProposalWire) -> None:
    """Seed 001: "receive responses asynchronously and know which response was for which"."""
    wire.send(produce(1, ("poll", 0, b""), ("poll", 1, b"")), 1)
    assert produced(wire)[0] == 1
    wire.send(fetch(("poll", [0], [0]), wait=LONG_MS, least=1), 2)
    wire.send(fetch(("poll", [1], [0]), wait=LONG_MS, least=1), 3)
    wire.send(fetch(("poll", [0], [0])), 4)
    assert fetched(wire) == (4, 0, [("poll", [(0, b"")])])
    wire.send(produce(1, ("poll", 1, M1)), 5)
    assert sorted([decoded(wire), decoded(wire)]) == [3, 5]
    with Wire07(broker.port_of("OLD")) as old:
        old.produce("poll", 0, M0)
    assert fetched(wire) == (2, 0, [("poll", [(0, M0)])])


def decoded(wire: ProposalWire) -> int:
    """The number of the next reply, whatever it is."""
    return int.from_bytes(wire.reply()[:4], "big")


def test_a_poll_waits_for_bytes_of_all_partitions_together(wire: ProposalWire) -> None:
    """Seed 001: "min_bytes are available in total amongst all the topics"."""
    wire.send(produce(1, ("sum", 0, M1), ("sum", 1, b"")), 1)
    assert produced(wire)[0] == 1
    wire.send(fetch(("sum", [0, 1], [0, 0]), wait=LONG_MS, least=30), 2)
    wire.send(produce(1, ("sum", 1, M0)), 3)
    assert decoded(wire) == 3
    wire.send(produce(1, ("sum", 1, M0)), 4)
    found = {decoded(wire), decoded(wire)}
    assert found == {2, 4}


def test_a_poll_for_a_topic_to_come_ends_when_it_comes(wire: ProposalWire) -> None:
    wire.send(fetch(("to-come", [0], [0]), wait=LONG_MS, least=1), 1)
    wire.send(produce(1, ("to-come", 0, M1)), 2)
    assert {decoded(wire), decoded(wire)} == {1, 2}


def test_a_poll_ends_when_its_time_is_over(wire: ProposalWire) -> None:
    wire.send(produce(1, ("time", 0, b"")), 1)
    assert produced(wire)[0] == 1
    wire.send(fetch(("time", [0], [0]), wait=1, least=1), 2)
    assert fetched(wire) == (2, 0, [("time", [(0, b"")])])


def test_no_bytes_are_waited_for_where_none_are_wanted(wire: ProposalWire) -> None:
    """And a replica of another cluster is served like anybody."""
    wire.send(produce(1, ("none", 0, b"")), 1)
    assert produced(wire)[0] == 1
    asked = fetch(("none", [0], [0]), wait=LONG_MS, least=0)
    asked.replica_id = 7
    wire.send(asked, 2)
    assert fetched(wire) == (2, 0, [("none", [(0, b"")])])


def test_a_mebibyte_of_a_partition_is_given_at_most(wire: ProposalWire) -> None:
    one = encode_message(bytes(1000))
    for number in range(11):
        wire.send(produce(1, ("large", 0, one * 100)), number)
        assert produced(wire)[:2] == (number, 0)
    wire.send(fetch(("large", [0], [0])), 99)
    _, error, [(_, [(_, messages)])] = fetched(wire)
    assert (error, messages) == (0, (one * 1100)[: 1 << 20])


def test_the_first_error_of_a_partition_is_that_of_the_request(wire: ProposalWire) -> None:
    wire.send(produce(1, ("first", 0, M1)), 1)
    assert produced(wire)[0] == 1
    wire.send(fetch(("first", [0, 1, 5], [0, 99, 0]), wait=LONG_MS, least=999), 2)
    assert fetched(wire) == (2, 1, [("first", [(0, M1), (1, b""), (5, b"")])])


@pytest.mark.parametrize(
    "wanted",
    [[("t", [0, 1], [0])], [("t", [], [0])], [("t", [0], [0]), ("u", [0], [0]), ("t", [1], [0])]],
)
def test_a_fetch_that_contradicts_itself_is_answered_so(
    wire: ProposalWire, wanted: list[tuple[str, list[int], list[int]]]
) -> None:
    wire.send(fetch(*wanted), 3)
    assert fetched(wire) == (3, 5, [])


def test_offsets_are_those_of_07(wire: ProposalWire) -> None:
    wire.send(produce(1, ("offsets", 0, M1)), 1)
    assert produced(wire)[0] == 1
    for partition, most, error, found in ((0, 9, 0, [15, 0]), (0, -1, -1, []), (7, 9, 3, [])):
        wire.send(OffsetsRequest(topic="offsets", partition=partition, time=-1, max_number=most), 2)
        number, code, body = answer(wire, OffsetsResponse)
        assert (number, code, body.offsets) == (2, error, found)


def test_so_many_wait_and_the_next_one_holds_up_the_others(wire: ProposalWire) -> None:
    wire.send(produce(1, ("many", 0, b"")), 0)
    assert produced(wire)[0] == 0
    waiting = fetch(("many", [0], [0]), wait=500, least=1)
    frames = [wire.frame(waiting, number) for number in range(1, 102)]
    # All at once, so that none of them has waited long enough before the last one is read.
    wire.send(b"".join([*frames, wire.frame(fetch(("many", [0], [0])), 102)]))
    numbers = [decoded(wire) for _ in range(102)]
    assert numbers[-1] == 102
    assert sorted(numbers) == list(range(1, 103))


def test_one_request_makes_so_many_topics_and_no_more(wire: ProposalWire) -> None:
    """It goes in no steps, as the next one would overtake it; what is refused may be sent again."""
    names = [f"many{number}" for number in range(40)]
    for made in (32, 40):
        wire.send(produce(1, *((name, 0, M1) for name in (*names, names[0]))), made)
        _, error, errors, _ = produced(wire)
        refused = [int(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)] * (40 - made)
        assert (error, errors) == (0, [0] * made + refused + [0])
