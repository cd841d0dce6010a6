import tracemalloc

import pytest

from barnabas.errors import DecodeError
from barnabas.protocol.delete_topics import DeleteTopicsRequest
from barnabas.protocol.metadata import MetadataRequest, MetadataRequestTopic
from barnabas.wire.compiler import Codec

NAMES = [MetadataRequestTopic(name=name) for name in "abcdef"]
SIX = Codec.of(MetadataRequest, 9).encode(MetadataRequest(topics=NAMES))


def test_a_message_may_hold_so_many_elements_and_no_more() -> None:
    decode = Codec.of(MetadataRequest, 9).decode
    assert decode(SIX, 0, 6)[0].topics == NAMES
    with pytest.raises(DecodeError, match="topics.*at most 5 more elements in this message, not 6"):
        decode(SIX, 0, 5)


def test_elements_of_all_arrays_count_together() -> None:
    message = DeleteTopicsRequest(topic_names=["a", "b"], timeout_ms=0)
    message.unknown_tags = {100: b"", 101: b"x"}  # type: ignore[attr-defined]
    codec = Codec.of(DeleteTopicsRequest, 4)
    data = codec.encode(message)
    assert codec.decode(data, 0, 4)[0] == message
    with pytest.raises(DecodeError, match="tagged fields"):
        codec.decode(data, 0, 3)


def test_a_frame_of_tiny_elements_takes_no_memory() -> None:
    decode = Codec.of(MetadataRequest, 9).decode
    frame = b"\xff\xff\xff\x01" + b"\x01\0" * (1 << 22) + bytes(8)
    decode(SIX)
    tracemalloc.start()
    try:
        with pytest.raises(DecodeError, match="more elements"):
            decode(frame, 0, 1 << 18)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1 << 20
