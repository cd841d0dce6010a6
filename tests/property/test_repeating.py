"""A request that begins as the one before is read by a kernel as it is without, in both forms."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from barnabas.dialects.commands import Produce
from barnabas.dialects.kafka.produce_frames import read_head
from barnabas.dialects.kafka.requests import KafkaDialect, Ways
from barnabas.kernels import repeating
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.headers import RequestHeader, encode_request
from barnabas.protocol.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from barnabas.versions import VersionRange
from barnabas.wire.compiler import Codec
from tests.kernel_forms import source

pytestmark = pytest.mark.kernels

PLAIN = source("repeating")
KIND = b"\0\0\0\7"
VERSIONS = st.integers(3, 13)
PARTITIONS = st.lists(
    st.builds(
        PartitionProduceData,
        index=st.integers(-(2**31), 2**31 - 1),
        records=st.none() | st.binary(max_size=300) | st.just(bytes(20_000)),
    ),
    min_size=1,
    max_size=2,
)


def produce_of(
    partitions: list[PartitionProduceData], transactional_id: str | None = None
) -> ProduceRequest:
    """A body of one topic."""
    return ProduceRequest(
        transactional_id=transactional_id,
        acks=-1,
        timeout_ms=30_000,
        topic_data=[TopicProduceData(name="t", topic_id=bytes(16), partition_data=partitions)],
    )


def frame_of(correlation_id: int, version: int, partitions: list[PartitionProduceData]) -> bytes:
    """A frame with a header of no client, and a body of one topic."""
    header = KIND + correlation_id.to_bytes(4, "big", signed=True) + b"\xff\xff"
    return header + Codec.of(ProduceRequest, version).encode(produce_of(partitions))


def by_kernel(frame: bytes, said: bytes, version: int) -> tuple[int, int, bytes] | None:
    found = repeating.one_partition(frame, said, version > 8)
    assert PLAIN.one_partition(frame, said, version > 8) == found
    if found is None:
        return None
    correlation_id, index, start, end = found
    return correlation_id, index, frame[start:end]


@given(
    version=VERSIONS,
    correlation_id=st.integers(-(2**31), 2**31 - 1),
    first=PARTITIONS,
    second=PARTITIONS,
)
def test_the_second_request_is_read_as_without_the_first(
    version: int,
    correlation_id: int,
    first: list[PartitionProduceData],
    second: list[PartitionProduceData],
) -> None:
    before = frame_of(1, version, first)
    head = read_head(memoryview(before), 10, version, zstd=True)
    assert head is not None
    found = by_kernel(frame_of(correlation_id, version, second), before[: head.end], version)
    (one, *others) = second
    if others or one.records is None:
        assert found is None
    else:
        assert found == (correlation_id, one.index, one.records)


@given(
    version=VERSIONS,
    records=st.binary(max_size=200),
    at=st.integers(0, 300),
    instead=st.binary(max_size=3),
)
@example(version=9, records=b"", at=50, instead=b"")
def test_a_frame_that_was_tampered_with_is_read_alike_or_not_at_all(
    version: int, records: bytes, at: int, instead: bytes
) -> None:
    frame = frame_of(1, version, [PartitionProduceData(index=3, records=records)])
    head = read_head(memoryview(frame), 10, version, zstd=True)
    assert head is not None
    at %= len(frame)
    changed = frame[:at] + instead + frame[at + len(instead) + (not instead) :]
    found = by_kernel(changed, frame[: head.end], version)
    if found is not None:
        assert changed[: head.end][8:] == frame[8 : head.end]
        whole = head.read(memoryview(changed))
        assert whole is not None
        (append,) = whole.appends
        assert append.records is not None
        assert found[1:] == (append.partition, bytes(append.records))


@given(frame=st.binary(max_size=80), said=st.binary(max_size=30), version=VERSIONS)
def test_arbitrary_bytes_are_read_alike_in_both_forms(
    frame: bytes, said: bytes, version: int
) -> None:
    by_kernel(frame, said, version)
    by_kernel(said + frame, said, version)


IDS = st.sampled_from([None, "", "t", "u", "u" * 126, "u" * 127, "u" * 200])


@given(version=VERSIONS, asked=st.lists(st.tuples(IDS, PARTITIONS), min_size=1, max_size=6))
def test_each_request_is_read_as_the_first_one_whoever_had_a_transaction_before(
    version: int, asked: list[tuple[str | None, list[PartitionProduceData]]]
) -> None:
    served = {ApiKey.PRODUCE: VersionRange(3, 13)}
    connection = KafkaDialect(Ways(served))
    for number, (transactional_id, partitions) in enumerate(asked):
        header = RequestHeader(ApiKey.PRODUCE, version, number, None)
        message = produce_of(partitions, transactional_id)
        frame = memoryview(encode_request(header, message).joined())[4:]
        read = connection.read_request(frame)
        assert read == KafkaDialect(Ways(served)).read_request(frame)
        assert isinstance(read.body, Produce)
        assert read.body.transactional_id == transactional_id
