import tracemalloc

import pytest

from barnabas.errors import DecodeError, OverLimit
from barnabas.protocol.delete_topics import DeleteTopicsRequest
from barnabas.protocol.fetch import FetchPartition, FetchRequest, FetchTopic
from barnabas.protocol.metadata import MetadataRequest, MetadataRequestTopic
from barnabas.wire import charges
from barnabas.wire.charges import LEAST_ELEMENT, MOST_REQUEST_BYTES
from barnabas.wire.compiler import Codec
from barnabas.wire.encoding import FLEXIBLE
from barnabas.wire.layout import layout_of

NAMES = [MetadataRequestTopic(name=name) for name in "abcdef"]
SIX = Codec.of(MetadataRequest, 9).encode(MetadataRequest(topics=NAMES))


BYTES = 10_000
"""More than each of these takes."""


def least(declared: type, version: int, data: bytes) -> int:
    """With how many bytes to spend a message is just read."""
    codec: Codec[object] = Codec.of(declared, version)
    low, high = 0, BYTES
    while low < high:
        middle = (low + high) // 2
        try:
            codec.decode(data, 0, middle)
        except DecodeError:
            low = middle + 1
        else:
            high = middle
    return low


def test_a_message_may_take_so_much_memory_and_no_more() -> None:
    decode = Codec.of(MetadataRequest, 9).decode
    taken = least(MetadataRequest, 9, SIX)
    assert 6 * LEAST_ELEMENT < taken < 12 * LEAST_ELEMENT
    assert decode(SIX, 0, taken)[0].topics == NAMES
    with pytest.raises(OverLimit, match="topics.*at most 5 more elements in this message, not 6"):
        decode(SIX, 0, taken - 7)
    with pytest.raises(OverLimit, match=r"topics\[\].name .*at most 0 more bytes of memory"):
        decode(SIX, 0, taken - 1)


def test_all_that_a_message_holds_counts_together() -> None:
    message = DeleteTopicsRequest(topic_names=["a", "b" * 1000], timeout_ms=0)
    message.unknown_tags = {100: b"", 101: b"x" * 500}  # type: ignore[attr-defined]
    data = Codec.of(DeleteTopicsRequest, 4).encode(message)
    taken = least(DeleteTopicsRequest, 4, data)
    assert 4 * LEAST_ELEMENT + 1500 < taken < 4 * LEAST_ELEMENT + 1600
    with pytest.raises(OverLimit, match="tagged fields"):
        Codec.of(DeleteTopicsRequest, 4).decode(data, 0, taken - 1)


def test_a_text_of_wide_characters_takes_four_times_its_size() -> None:
    sizes = [
        least(DeleteTopicsRequest, 4, Codec.of(DeleteTopicsRequest, 4).encode(one))
        for one in (
            DeleteTopicsRequest(topic_names=["x" * 1000], timeout_ms=0),
            DeleteTopicsRequest(topic_names=["x" * 998 + "ö"], timeout_ms=0),
        )
    ]
    assert sizes[1] - sizes[0] == 3000


def test_a_long_text_is_charged_before_it_is_read() -> None:
    codec = Codec.of(DeleteTopicsRequest, 4)
    long = codec.encode(DeleteTopicsRequest(topic_names=["x" * 40_000], timeout_ms=0))
    assert codec.decode(long, 0, 170_000)[1] == len(long)
    with pytest.raises(
        OverLimit, match="topic_names.*bytes of memory for this message, not 160000"
    ):
        codec.decode(long, 0, 160_000)


@pytest.mark.parametrize("version", [3, 4])
def test_texts_that_cannot_be_there_are_refused_for_that_and_not_for_their_memory(
    version: int,
) -> None:
    """The fuzzer found that the kernel refused them for their memory, the generated code did not."""
    frame = b"\0\0\0\x28" + bytes(41) if version < 4 else b"\x29" + bytes(39)
    codec = Codec.of(DeleteTopicsRequest, version)
    for decode in (codec.decode, codec.generated_decode):
        with pytest.raises(DecodeError, match="more bytes can hold, not 40"):
            decode(frame, 0, 200)


def test_a_frame_of_tiny_elements_takes_no_memory() -> None:
    decode = Codec.of(MetadataRequest, 9).decode
    frame = b"\xff\xff\xff\x01" + b"\x01\0" * (1 << 22) + bytes(8)
    decode(SIX)
    tracemalloc.start()
    try:
        with pytest.raises(OverLimit, match="more elements"):
            decode(frame, 0, MOST_REQUEST_BYTES)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1 << 20


def test_what_is_charged_is_about_what_is_taken() -> None:
    partition = FetchPartition(partition=300, fetch_offset=1 << 40, partition_max_bytes=1 << 20)
    message = FetchRequest(
        max_wait_ms=0,
        min_bytes=0,
        topics=[FetchTopic(topic="t", partitions=[partition] * 10_000)],
        forgotten_topics_data=[],
    )
    codec = Codec.of(FetchRequest, 12)
    data = codec.encode(message)
    codec.decode(data)
    tracemalloc.start()
    try:
        read = codec.decode(data, 0, MOST_REQUEST_BYTES)
        taken = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    charged = charges.of_struct(layout_of(FetchPartition, 12, FLEXIBLE)) * 10_000
    assert read[0] == message
    assert 0.5 * taken < charged < 2 * taken
