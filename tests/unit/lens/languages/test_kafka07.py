"""Kafka 0.7: each golden vector without a mistake, and the mistakes of a driver's author."""

import gzip
import zlib
from struct import pack

import pytest

from barnabas.dialects.kafka07.frames import Message, encode_request
from barnabas.dialects.kafka07.messages import (
    FetchRequest,
    OffsetsRequest,
    ProduceRequest,
    RequestType,
)
from barnabas.lens.languages.kafka07 import Kafka07Lens
from barnabas.lens.walks.part import Explained, RequestSummary
from tests.wires import golden07

LENS = Kafka07Lens()
TOPIC = bytes.fromhex("0004 646f6773 00000000")


def sized(body: bytes) -> bytes:
    return pack(">i", len(body)) + body


def produce(messages: bytes) -> bytes:
    return sized(bytes(2) + TOPIC + sized(messages))


def fetched(messages: bytes) -> bytes:
    return sized(bytes(2) + messages)


REQUESTS = {
    "produce": golden07.PRODUCE,
    "produce nothing": golden07.PRODUCE_ANYWHERE,
    "fetch": golden07.FETCH,
    "multifetch": golden07.MULTIFETCH,
    "multiproduce": golden07.MULTIPRODUCE,
    "offsets": golden07.LATEST,
    "gzip": produce(golden07.GZIPPED),
    "snappy": produce(golden07.SNAPPED),
}
REPLIES = {
    "fetch": (RequestType.FETCH, golden07.FETCHED),
    "fetch of 0.6": (RequestType.FETCH, fetched(golden07.M0)),
    "fetch that is cut": (RequestType.FETCH, fetched(golden07.M1 + golden07.M1[:3])),
    "fetch of both": (RequestType.FETCH, fetched(golden07.M1 + golden07.M0)),
    "fetch of no partition": (RequestType.FETCH, fetched(golden07.EMPTY_1 + golden07.EMPTY_0)),
    "error": (RequestType.FETCH, golden07.OUT_OF_RANGE),
    "unknown": (RequestType.FETCH, sized(b"\xff\xff")),
    "multifetch": (RequestType.MULTIFETCH, golden07.MULTIFETCHED),
    "multifetch of nothing": (RequestType.MULTIFETCH, fetched(b"")),
    "offsets": (RequestType.OFFSETS, golden07.OFFSETS),
    "no offsets": (RequestType.OFFSETS, golden07.NO_OFFSETS),
}


def mistakes(found: Explained) -> list[str]:
    position = 0
    for part in found.parts:
        assert part.start == position
        position = part.end
    assert position == len(found.data)
    return [str(fault) for fault in found.faults]


@pytest.mark.parametrize("frame", REQUESTS.values(), ids=REQUESTS.keys())
def test_golden_requests(frame: bytes) -> None:
    found = LENS.request(frame)
    assert mistakes(found) == []
    assert found.message is not None


@pytest.mark.parametrize(("kind", "frame"), REPLIES.values(), ids=REPLIES.keys())
def test_golden_replies(kind: RequestType, frame: bytes) -> None:
    assert mistakes(LENS.response(frame, RequestSummary(kind, 0))) == []


@pytest.mark.parametrize("name", ["gzip", "snappy"])
def test_what_is_compressed_is_reported(name: str) -> None:
    inside = LENS.request(REQUESTS[name]).parts[-1].inside
    assert inside is not None
    assert inside.parts[-1].value == b"hello"


def test_who_is_answered() -> None:
    asked = {name: LENS.request(frame).asked for name, frame in REQUESTS.items()}
    assert asked["fetch"] == RequestSummary(RequestType.FETCH, 0)
    assert asked["produce"] is None
    assert asked["multiproduce"] is None


def made(payload: bytes, *, crc: int, attributes: int = 0, length: int = 0) -> bytes:
    size = length or 6 + len(payload)
    return pack(">ibbI", size, 1, attributes, crc) + payload


@pytest.mark.parametrize(
    ("message", "place", "guess"),
    [
        (made(b"hi", crc=zlib.crc32(b"\1\0hi")), "messages[0].crc", ""),
        (made(b"hi", crc=zlib.crc32(b"\1\0")), "messages[0].crc", "it covers magic and attributes"),
        (made(b"hi", crc=zlib.crc32(b"hi"), length=12), "messages[0].length", "its own 4 bytes"),
        (pack("<i", 8) + made(b"hi", crc=zlib.crc32(b"hi"))[4:], "length", "little-endian"),
        (made(gzip.compress(b"hi")[:-5], crc=0, attributes=1), "messages[0].crc", ""),
        (made(b"hi", crc=zlib.crc32(b"hi"))[:-1], "messages[0].length", ""),
        (pack(">ibIb", 7, 0, zlib.crc32(b"hi"), 0) + b"hi", "messages[0].crc", ""),
        (made(b"hi", crc=zlib.crc32(b"hi"), attributes=3), "messages[0].attributes", ""),
    ],
    ids=["magic in the crc", "only magic", "length with itself", "little-endian", "no gzip",
         "cut", "attributes in magic 0", "codec 3"],
)  # fmt: skip
def test_mistakes_in_messages(message: bytes, place: str, guess: str) -> None:
    found = mistakes(LENS.request(produce(message)))
    assert place in found[0]
    assert guess in found[0]


def test_mistakes_in_frames() -> None:
    assert mistakes(LENS.request(bytes.fromhex("00000002 0007"))) == [
        "byte 4: request_type: a type from 0 to 4 expected, not 7"
    ]
    cut = sized(b"\0\1" + TOPIC + b"\0\0")
    assert mistakes(LENS.request(cut)) == ["byte 16: offset: 8 bytes expected, 2 left"]
    body = pack("<hh", 1, 4) + b"dogs" + pack("<iqi", 0, 0, 1000)
    little = LENS.request(pack("<i", len(body)) + body)
    assert little.faults[-1].guess == "all numbers are in little-endian order"
    reply = LENS.response(
        bytes.fromhex("00000006 0000 00000001"), RequestSummary(RequestType.OFFSETS, 0)
    )
    assert mistakes(reply) == [
        "byte 6: offsets: a count of 1, of at least 8 bytes each, with 0 bytes left"
    ]
    part = LENS.response(
        bytes.fromhex("00000006 0000 00000009"), RequestSummary(RequestType.MULTIFETCH, 0)
    )
    assert mistakes(part) == ["byte 6: parts[0].size: a size from 2 to 0 expected, not 9"]
    code = LENS.response(bytes.fromhex("00000002 0009"), RequestSummary(RequestType.FETCH, 0))
    assert mistakes(code) == ["byte 4: error_code: a code from -1 to 4 expected, not 9"]


@pytest.mark.parametrize(
    ("given", "mistake"),
    [
        (ProduceRequest(topic="dogs", partition=-1, messages=b""), ""),
        (ProduceRequest(topic="dogs", partition=-2, messages=b""), "12: partition: -1 or more"),
        (
            FetchRequest(topic="dogs", partition=-1, offset=0, max_size=1),
            "12: partition: 0 or more",
        ),
        (FetchRequest(topic="dogs", partition=0, offset=0, max_size=-1), "24: max_size: 0 or more"),
        (
            FetchRequest(topic="", partition=0, offset=0, max_size=1),
            "6: topic: the name of a topic",
        ),
        (
            FetchRequest(topic="../x", partition=0, offset=0, max_size=1),
            "8: topic: a name that can be one of a directory expected, not '../x'",
        ),
        (OffsetsRequest(topic="dogs", partition=0, time=-2, max_number=1), ""),
        (OffsetsRequest(topic="dogs", partition=0, time=-3, max_number=1), "16: time: -2 or more"),
        (
            OffsetsRequest(topic="dogs", partition=0, time=-1, max_number=-1),
            "24: max_number: 0 or more",
        ),
    ],
)
def test_values_that_every_broker_refuses(given: Message, mistake: str) -> None:
    found = LENS.request(encode_request(given).joined())
    reported = mistakes(found)
    assert [each[: len(f"byte {mistake}")] for each in reported] == (
        [f"byte {mistake}"] if mistake else []
    )
