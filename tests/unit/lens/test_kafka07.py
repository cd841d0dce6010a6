"""Kafka 0.7: each golden vector without a mistake, and the mistakes of a driver's author."""

import gzip
import zlib
from struct import pack

import pytest

from barnabas.dialects.kafka07.messages import RequestType
from barnabas.lens.kafka07 import Kafka07Lens
from barnabas.lens.part import Asked, Explained

LENS = Kafka07Lens()
HELLO = "0000000b 01 00 3610a686 68656c6c6f"
OLD_HELLO = "0000000a 00 3610a686 68656c6c6f"
TOPIC = "0004 646f6773 00000000"
GZIP = (
    "00000029 01 01 6a1f0e28 1f8b0800000000000000 636060e06664301358d696919a93930f00"
    " 50b0ff5a 0f000000"
)
SNAPPY = (
    "0000002b 01 02 bfb064de 82534e4150505900 00000001 00000001 00000011 0f38"
    " 0000000b01003610a68668656c6c6f"
)
REQUESTS = {
    "produce": f"0000001f 0000 {TOPIC} 0000000f {HELLO}",
    "produce nothing": "00000010 0000 0004 646f6773 ffffffff 00000000",
    "fetch": f"00000018 0001 {TOPIC} 0000000000000000 0004b000",
    "multifetch": f"00000030 0002 0002 {TOPIC} 0000000000000000 00000400"
    " 0004646f6773 00000009 0000000000000000 00000400",
    "multiproduce": f"00000039 0003 0002 {TOPIC} 0000000f {HELLO}"
    " 000463617473 00000001 0000000a 00000006 00 8cdc1683 78",
    "offsets": f"00000018 0004 {TOPIC} ffffffffffffffff 00000001",
    "gzip": f"0000003d 0000 {TOPIC} 0000002d {GZIP}",
    "snappy": f"0000003f 0000 {TOPIC} 0000002f {SNAPPY}",
}
REPLIES = {
    "fetch": (RequestType.FETCH, f"00000011 0000 {HELLO}"),
    "fetch of 0.6": (RequestType.FETCH, f"00000010 0000 {OLD_HELLO}"),
    "fetch that is cut": (RequestType.FETCH, f"00000014 0000 {HELLO} 0000 00"),
    "fetch of both": (RequestType.FETCH, f"0000001f 0000 {HELLO} {OLD_HELLO}"),
    "error": (RequestType.FETCH, "00000002 0001"),
    "unknown": (RequestType.FETCH, "00000002 ffff"),
    "multifetch": (RequestType.MULTIFETCH, f"0000001d 0000 00000011 0000 {HELLO} 00000002 0003"),
    "multifetch of nothing": (RequestType.MULTIFETCH, "00000002 0000"),
    "offsets": (
        RequestType.OFFSETS, "00000016 0000 00000002 0000000020004c26 0000000000000000",
    ),
    "no offsets": (RequestType.OFFSETS, "00000006 0000 00000000"),
}  # fmt: skip


def mistakes(found: Explained) -> list[str]:
    position = 0
    for part in found.parts:
        assert part.start == position
        position = part.end
    assert position == len(found.data)
    return [str(fault) for fault in found.faults]


@pytest.mark.parametrize("frame", REQUESTS.values(), ids=REQUESTS.keys())
def test_golden_requests(frame: str) -> None:
    found = LENS.request(bytes.fromhex(frame))
    assert mistakes(found) == []
    assert found.message is not None


@pytest.mark.parametrize(("kind", "frame"), REPLIES.values(), ids=REPLIES.keys())
def test_golden_replies(kind: RequestType, frame: str) -> None:
    assert mistakes(LENS.response(bytes.fromhex(frame), Asked(kind, 0))) == []


@pytest.mark.parametrize("name", ["gzip", "snappy"])
def test_what_is_compressed_is_told(name: str) -> None:
    inside = LENS.request(bytes.fromhex(REQUESTS[name])).parts[-1].inside
    assert inside is not None
    assert inside.parts[-1].value == b"hello"


def test_who_is_answered() -> None:
    asked = {name: LENS.request(bytes.fromhex(frame)).asked for name, frame in REQUESTS.items()}
    assert asked["fetch"] == Asked(RequestType.FETCH, 0)
    assert asked["produce"] is None
    assert asked["multiproduce"] is None


def produce(message: bytes) -> bytes:
    body = bytes.fromhex(f"0000 {TOPIC}") + pack(">i", len(message)) + message
    return pack(">i", len(body)) + body


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
    cut = bytes.fromhex(f"0000000e 0001 {TOPIC} 0000")
    assert mistakes(LENS.request(cut)) == ["byte 16: offset: 8 bytes expected, 2 left"]
    body = pack("<hh", 1, 4) + b"dogs" + pack("<iqi", 0, 0, 1000)
    little = LENS.request(pack("<i", len(body)) + body)
    assert little.faults[-1].guess == "all numbers are in little-endian order"
    reply = LENS.response(bytes.fromhex("00000006 0000 00000001"), Asked(RequestType.OFFSETS, 0))
    assert mistakes(reply) == [
        "byte 6: offsets: a count of 1, of at least 8 bytes each, with 0 bytes left"
    ]
    part = LENS.response(bytes.fromhex("00000006 0000 00000009"), Asked(RequestType.MULTIFETCH, 0))
    assert mistakes(part) == ["byte 6: parts[0].size: a size from 2 to 0 expected, not 9"]
    code = LENS.response(bytes.fromhex("00000002 0009"), Asked(RequestType.FETCH, 0))
    assert mistakes(code) == ["byte 4: error_code: a code from -1 to 4 expected, not 9"]
