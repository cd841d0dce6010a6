"""Every frame of Kafka 0.7 byte for byte, in both directions."""

from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barnabas.dialects.dialect import ErrorWithoutResponse
from barnabas.dialects.kafka07.frames import (
    FetchReply,
    Message,
    decode_fetch_reply,
    decode_multi_fetch_reply,
    decode_offsets_reply,
    decode_request,
    encode_fetch_reply,
    encode_multi_fetch_reply,
    encode_offsets_reply,
    encode_request,
)
from barnabas.dialects.kafka07.messages import (
    FetchRequest,
    MultiFetchRequest,
    MultiProduceRequest,
    OffsetsRequest,
    ProduceRequest,
)
from barnabas.errors import DecodeError
from barnabas.ports import File
from barnabas.records.messages07.message07 import encode_message
from barnabas.wire.send import FileSlice
from tests.wires import golden07

DOGS = FetchRequest(topic="dogs", partition=0, offset=0, max_size=1024)
REQUESTS: list[tuple[Message, bytes]] = [
    (ProduceRequest(topic="dogs", partition=0, messages=golden07.M1), golden07.PRODUCE),
    (ProduceRequest(topic="dogs", partition=-1, messages=b""), golden07.PRODUCE_ANYWHERE),
    (FetchRequest(topic="dogs", partition=0, offset=0, max_size=307_200), golden07.FETCH),
    (
        MultiFetchRequest(
            fetches=[DOGS, FetchRequest(topic="dogs", partition=9, offset=0, max_size=1024)]
        ),
        golden07.MULTIFETCH,
    ),
    (
        MultiProduceRequest(
            produces=[
                ProduceRequest(topic="dogs", partition=0, messages=golden07.M1),
                ProduceRequest(topic="cats", partition=1, messages=encode_message(b"x", magic=0)),
            ]
        ),
        golden07.MULTIPRODUCE,
    ),
    (OffsetsRequest(topic="dogs", partition=0, time=-1, max_number=1), golden07.LATEST),
]


@pytest.mark.parametrize(
    ("sent", "frame"), REQUESTS, ids=[type(sent).__name__ for sent, _ in REQUESTS]
)
def test_requests_are_the_golden_bytes(sent: Message, frame: bytes) -> None:
    assert encode_request(sent).joined() == frame
    assert decode_request(memoryview(frame)[4:]) == sent


@pytest.mark.parametrize("frame", [frame for _, frame in REQUESTS])
def test_a_request_that_is_cut_short_is_refused(frame: bytes) -> None:
    for size in range(len(frame) - 4):
        with pytest.raises(DecodeError):
            decode_request(memoryview(frame)[4 : 4 + size])


def test_what_is_left_over_is_passed_over() -> None:
    assert decode_request(memoryview(golden07.FETCH + b"more")[4:]) == REQUESTS[2][0]


@pytest.mark.parametrize("kind", [-1, 5, 18])
def test_other_types_are_refused(kind: int) -> None:
    with pytest.raises(DecodeError, match="type from 0 to 4"):
        decode_request(memoryview(kind.to_bytes(2, "big", signed=True) + golden07.FETCH[6:]))


@pytest.mark.parametrize("count", [b"\xff\xff", b"\x7f\xff"])
def test_counts_that_lie_are_refused(count: bytes) -> None:
    lying = golden07.MULTIFETCH[4:6] + count + golden07.MULTIFETCH[8:]
    with pytest.raises(DecodeError):
        decode_request(memoryview(lying))


def test_replies_are_the_golden_bytes() -> None:
    fetched, nowhere = encode_fetch_reply(0, golden07.M1), encode_fetch_reply(3)
    assert fetched.joined() == golden07.FETCHED
    assert encode_fetch_reply(1).joined() == golden07.OUT_OF_RANGE
    assert encode_multi_fetch_reply([fetched, nowhere]).joined() == golden07.MULTIFETCHED
    assert encode_multi_fetch_reply([]).joined() == bytes.fromhex("000000020000")
    assert encode_offsets_reply([536_890_406, 0]) == golden07.OFFSETS
    assert encode_offsets_reply([]) == golden07.NO_OFFSETS


def test_a_reply_that_is_too_large_for_its_size_ends_its_connection() -> None:
    largest = FileSlice(cast("File", None), 0, 2**31 - 3)
    whole = encode_fetch_reply(0, largest)
    assert len(whole) == 2**31 + 3
    with pytest.raises(ErrorWithoutResponse):
        encode_fetch_reply(0, FileSlice(largest.file, 0, 2**31 - 2))
    with pytest.raises(ErrorWithoutResponse):
        encode_multi_fetch_reply([whole])


def test_replies_are_read_again() -> None:
    whole = FetchReply(0, memoryview(golden07.M1))
    assert decode_fetch_reply(memoryview(golden07.FETCHED)[4:]) == whole
    assert decode_multi_fetch_reply(memoryview(golden07.MULTIFETCHED)[4:]) == [
        whole,
        FetchReply(3, memoryview(b"")),
    ]
    assert decode_offsets_reply(memoryview(golden07.OFFSETS)[4:]) == (0, [536_890_406, 0])
    assert decode_offsets_reply(memoryview(golden07.OUT_OF_RANGE)[4:]) == (1, [])


@given(st.binary(max_size=60))
def test_no_reply_is_believed(frame: bytes) -> None:
    for decode in (decode_fetch_reply, decode_multi_fetch_reply, decode_offsets_reply):
        try:
            decode(memoryview(frame))
        except DecodeError:
            continue
