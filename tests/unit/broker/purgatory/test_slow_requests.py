import random

import pytest

from barnabas.broker.purgatory.slow_requests import MANY_PARTITIONS, SlowRequests, may_be_slow
from barnabas.dialects.dialect import Request
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.fetch import FetchRequest
from barnabas.protocol.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from barnabas.protocol.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from barnabas.records.codecs.compression import Codec
from tests.hostile.attacks.bombs import packed_batch
from tests.message_sets import message, wrapper
from tests.record_batches import make_batch
from tests.unit.runtime.manual_timers import ManualTimers


class Waiting:
    """A connection that asks again when it is called."""

    def __init__(self, slow: SlowRequests, turns: list[str], name: str) -> None:
        self._slow, self._turns, self._name = slow, turns, name

    def ask(self) -> None:
        if not self._slow.must_wait(self.ask):
            self._slow.handled()
            self._turns.append(self._name)


def test_one_in_each_turn_in_the_order_in_which_they_came() -> None:
    timers, turns = ManualTimers(), list[str]()
    slow = SlowRequests(timers)
    for name in "abc":
        Waiting(slow, turns, name).ask()
    assert turns == ["a"]
    timers.run_turn()
    assert turns == ["a", "b"]
    # It comes between, and behind those who wait.
    Waiting(slow, turns, "d").ask()
    timers.run_turn()
    timers.run_turn()
    assert turns == ["a", "b", "c", "d"]
    timers.run_turn()
    assert not slow.crowded
    assert not timers.next


def test_one_that_asks_in_the_next_turn_keeps_its_place() -> None:
    timers, turns = ManualTimers(), list[str]()
    slow = SlowRequests(timers)

    class Late(Waiting):
        """A connection that is resumed in the next turn of the loop."""

        def ask(self) -> None:
            if slow.must_wait(self.resume):
                return
            slow.handled()
            turns.append(self._name)

        def resume(self) -> None:
            timers.soon(self.ask)

    for name in "abcd":
        Late(slow, turns, name).ask()
    for _ in range(8):
        timers.run_turn()
    assert turns == [*"abcd"]
    assert not slow.crowded


def test_who_has_gone_is_not_called() -> None:
    timers, turns = ManualTimers(), list[str]()
    slow = SlowRequests(timers)
    first, second, third = (Waiting(slow, turns, name) for name in "abc")
    for one in (first, second, third):
        one.ask()
    slow.forget(second.ask)
    timers.run_turn()
    assert turns == ["a", "c"]


def produced(records: bytes) -> ProduceRequest:
    data = PartitionProduceData(index=0, records=memoryview(records))
    topic = TopicProduceData(name="t", partition_data=[data])
    return ProduceRequest(acks=-1, timeout_ms=1000, topic_data=[topic])


def spread(partitions: int) -> ProduceRequest:
    records = memoryview(bytes(make_batch(1)))
    data = [PartitionProduceData(index=each, records=records) for each in range(partitions)]
    topic = TopicProduceData(name="t", partition_data=data)
    return ProduceRequest(acks=-1, timeout_ms=1000, topic_data=[topic])


def looked_up(timestamp: int) -> ListOffsetsRequest:
    partition = ListOffsetsPartition(partition_index=0, timestamp=timestamp)
    topic = ListOffsetsTopic(name="t", partitions=[partition])
    return ListOffsetsRequest(replica_id=-1, topics=[topic])


RECORDS = bytes(make_batch(100, size=10_000)[61:])
ZEROS = bytes(4 << 20)


@pytest.mark.parametrize("codec", [Codec.GZIP, Codec.SNAPPY, Codec.LZ4, Codec.ZSTD])
def test_records_are_slow_if_they_unpack_to_much(codec: Codec) -> None:
    for records, slow in ((RECORDS, False), (ZEROS, True)):
        body = produced(packed_batch(codec, records))
        assert may_be_slow("kafka", Request(ApiKey.PRODUCE, 9, 1, None, body)) == slow


def damaged() -> bytes:
    """A batch whose first block of snappy states more than there is."""
    batch = bytearray(packed_batch(Codec.SNAPPY, RECORDS))
    batch[77:81] = b"\x7f\xff\xff\xff"
    return bytes(batch)


FETCH = FetchRequest(max_wait_ms=0, min_bytes=0, topics=[])
COMMITTED = FetchRequest(max_wait_ms=0, min_bytes=0, isolation_level=1, topics=[])
OLD = wrapper(0, [message(0, None, b"v")], Codec.GZIP)


@pytest.mark.parametrize(
    ("body", "version", "slow"),
    [
        (produced(bytes(make_batch(1))), 9, False),
        (produced(OLD), 2, True),
        (produced(message(0, None, b"v")), 2, False),
        (produced(b"no records at all"), 9, False),
        (produced(damaged()), 9, True),
        (produced(packed_batch(Codec.LZ4, random.Random(1).randbytes(100 << 10))), 9, False),
        (produced(packed_batch(Codec.LZ4, random.Random(1).randbytes(300 << 10))), 9, True),
        (spread(MANY_PARTITIONS), 9, False),
        (spread(MANY_PARTITIONS + 1), 9, True),
        (FETCH, 3, True),
        (FETCH, 4, False),
        (COMMITTED, 4, True),
        (looked_up(-1), 7, False),
        (looked_up(1), 7, True),
        (looked_up(-3), 7, True),
    ],
)
def test_what_may_be_slow(body: object, version: int, *, slow: bool) -> None:
    assert may_be_slow("kafka", Request(ApiKey.PRODUCE, version, 1, None, body)) == slow
