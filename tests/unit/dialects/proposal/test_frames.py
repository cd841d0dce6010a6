"""Frames of the proposal byte for byte, as seed 001 has them and docs/proposal.md repairs them."""

import contextlib
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barnabas.dialects.dialect import ErrorWithoutResponse
from barnabas.dialects.proposal.frames import (
    Answer,
    Asked,
    decode_request,
    decode_response,
    encode_request,
    encode_response,
)
from barnabas.dialects.proposal.messages import (
    FetchResponse,
    OffsetsRequest,
    OffsetsResponse,
    PartitionData,
    ProduceResponse,
    TopicData,
)
from barnabas.dialects.proposal.requests import ProposalDialect
from barnabas.errors import DecodeError
from barnabas.ports import File
from barnabas.wire.send import FileSlice
from tests.wires.golden07 import M1
from tests.wires.proposal_wire import fetch, produce

HEAD = "0000 0000002a 0002 6d65"
"""version_id, correlation_id, client_id: 0, 42, "me"."""
DOGS = "0004 646f6773"
SET = f"0000000f {M1.hex()}"

REQUESTS: list[tuple[Asked, str]] = [
    (
        produce(1, ("dogs", 0, M1), ("dogs", 1, b""), ("cats", 0, M1), timeout=1000),
        (
            f"0000 {HEAD} 01 000003e8 0002 {DOGS} 0002 00000000 {SET} 00000001 00000000"
            f" 0004 63617473 0001 00000000 {SET}"
        ),
    ),
    (
        fetch(("dogs", [0, 1], [15, 1 << 40]), wait=500, least=1),
        (
            f"0001 {HEAD} ffffffff 000001f4 00000001 0001 {DOGS} 0002 00000000 00000001"
            " 0002 000000000000000f 0000010000000000"
        ),
    ),
    (
        OffsetsRequest(topic="dogs", partition=0, time=-1, max_number=2),
        f"0004 {HEAD} {DOGS} 00000000 ffffffffffffffff 00000002",
    ),
]
ANSWERS: list[tuple[int, Answer, str]] = [
    (
        0,
        ProduceResponse(errors=[0, 2, 3], offsets=[15, -1, -1]),
        "0003 0000 0002 0003 0003 000000000000000f ffffffffffffffff ffffffffffffffff",
    ),
    (
        1,
        FetchResponse(
            data=[
                TopicData(
                    topic="dogs",
                    partition_data=[
                        PartitionData(partition=0, messages=M1),
                        PartitionData(partition=1, messages=b""),
                    ],
                )
            ]
        ),
        f"0001 {DOGS} 0002 00000000 {SET} 00000001 00000000",
    ),
    (0, OffsetsResponse(offsets=[15, 0]), "0002 000000000000000f 0000000000000000"),
]
IDS = ["produce", "fetch", "offsets"]


def framed(text: str) -> bytes:
    body = bytes.fromhex(text)
    return len(body).to_bytes(4, "big") + body


@pytest.mark.parametrize(("asked", "text"), REQUESTS, ids=IDS)
def test_requests(asked: Asked, text: str) -> None:
    assert encode_request(asked, 42, "me").joined() == framed(text)
    assert decode_request(memoryview(bytes.fromhex(text))) == (42, "me", asked)


@pytest.mark.parametrize(("error", "answer", "text"), ANSWERS, ids=IDS)
def test_responses(error: int, answer: Answer, text: str) -> None:
    whole = f"0000002a 0000 {error:04x} {text}"
    assert encode_response(42, error, answer).joined() == framed(whole)
    header, found = decode_response(memoryview(bytes.fromhex(whole)), type(answer))
    assert (header.correlation_id, header.error, found) == (42, error, answer)


@pytest.mark.parametrize("text", [text for _, text in REQUESTS], ids=IDS)
def test_requests_that_are_cut_short_are_refused(text: str) -> None:
    whole = bytes.fromhex(text)
    for size in range(len(whole)):
        with pytest.raises(DecodeError):
            decode_request(memoryview(whole)[:size])


@pytest.mark.parametrize(
    "text",
    [
        f"0002 {HEAD}",
        "0001 0001 0000002a 0000",
        "0001 0000 0000002a ffff",
        f"0001 {HEAD} ffffffff 00000000 00000000 ffff",
        f"0000 {HEAD} 01 00000000 0001 {DOGS} 0001 00000000 ffffffff",
        f"0000 {HEAD} 01 00000000 7fff {DOGS}",
    ],
)
def test_lies_are_refused(text: str) -> None:
    with pytest.raises(DecodeError):
        decode_request(memoryview(bytes.fromhex(text)))


@given(st.binary(max_size=80))
def test_nothing_is_believed(frame: bytes) -> None:
    with contextlib.suppress(DecodeError):
        decode_request(memoryview(frame))
    with contextlib.suppress(DecodeError):
        decode_response(memoryview(frame), FetchResponse)


def test_a_response_that_is_too_large_for_its_size_ends_its_connection() -> None:
    half = FileSlice(cast("File", None), 0, 2**30)
    parts = [PartitionData(partition=index, messages=half) for index in range(2)]
    fetched = FetchResponse(data=[TopicData(topic="t", partition_data=parts)])
    with pytest.raises(ErrorWithoutResponse):
        encode_response(1, 0, fetched)


@pytest.mark.parametrize(("sets", "is_refused"), [(32_767, False), (32_768, True)])
def test_no_more_sets_than_a_response_can_list(
    sets: int,
    is_refused: bool,  # noqa: FBT001 - a parameter
) -> None:
    """They were appended, and then the connection closed without an answer."""
    topics = [("dogs", 0, b"")] * 20_000 + [("cats", 0, b"")] * (sets - 20_000)
    frame = memoryview(encode_request(produce(1, *topics), 42).joined())[4:]
    dialect = ProposalDialect(1 << 20)
    if is_refused:
        with pytest.raises(DecodeError, match="32767"):
            dialect.read_request(frame)
    else:
        dialect.read_request(frame)


@pytest.mark.parametrize(
    "asked",
    [
        produce(1, *((f"t{number // 20_000}", 0, b"") for number in range(60_000))),
        fetch(*((f"t{number}", [*range(10_000)], [0] * 10_000) for number in range(6))),
    ],
    ids=["produce", "fetch"],
)
def test_what_a_request_names_is_bounded(asked: Asked) -> None:
    """Objects of 200,000 partitions took 160 MB and seconds, before anything was done."""
    frame = memoryview(encode_request(asked, 42).joined())[4:]
    with pytest.raises(DecodeError):
        decode_request(frame)
