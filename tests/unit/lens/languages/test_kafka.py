"""Broken frames as the author of a driver makes them: where the mistake is, and which it is."""

from struct import pack
from typing import Any

import pytest

from barnabas.lens.languages.kafka import KafkaLens
from barnabas.lens.walks.part import Explained, RequestSummary
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.api_versions import ApiVersionsResponse
from barnabas.protocol.headers import RequestHeader, encode_request, encode_response
from barnabas.protocol.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from barnabas.protocol.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse
from barnabas.protocol.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from tests.record_batches import make_batch

LENS = KafkaLens()


def metadata(version: int) -> bytes:
    topics = [MetadataRequestTopic(name="cats"), MetadataRequestTopic(name="dogs")]
    header = RequestHeader(ApiKey.METADATA, version, 7, "me")
    return encode_request(header, MetadataRequest(topics=topics)).joined()


def produce(records: bytes, version: int = 7, acks: int = 1) -> bytes:
    part = PartitionProduceData(index=3, records=records)
    data = [TopicProduceData(name="dogs", partition_data=[part])]
    message = ProduceRequest(acks=acks, timeout_ms=100, topic_data=data)
    return encode_request(RequestHeader(ApiKey.PRODUCE, version, 7, "me"), message).joined()


def sized(body: bytes) -> bytes:
    return pack(">i", len(body)) + body


def mistakes(found: Explained) -> list[str]:
    return [str(fault) for fault in found.faults]


def test_what_is_right_has_no_mistakes() -> None:
    for frame in (metadata(1), metadata(12), produce(bytes(make_batch()))):
        assert mistakes(LENS.request(frame)) == []


def test_the_end_of_the_bytes_is_named_with_its_field() -> None:
    found = LENS.request(sized(metadata(1)[4:-3]))
    assert mistakes(found) == ["byte 26: topics[1].name: a length of 4 with 1 byte left"]
    assert found.parts[-1][:2] == (28, 29)
    assert found.parts[-1].meaning == "not understood"
    found = LENS.request(sized(metadata(1)[4:18]))
    assert mistakes(found) == ["byte 16: topics: 4 bytes expected, 2 left"]


@pytest.mark.parametrize(
    ("frame", "place", "guess"),
    [
        (pack("<i", 28) + metadata(1)[4:], "byte 0: size", "it is in little-endian order"),
        (pack(">i", 32) + metadata(1)[4:], "byte 0: size", "it counts its own 4 bytes too"),
        (b"GET / HTTP/1.1\r\n\r\n", "byte 0: size", "this is HTTP"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "byte 0: size", "this is TLS"),
    ],
    ids=["little-endian", "with itself", "http", "tls"],
)
def test_sizes(frame: bytes, place: str, guess: str) -> None:
    fault = LENS.request(frame).faults[0]
    assert str(fault).startswith(place)
    assert guess in fault.guess


def changed(frame: bytes, at: int, old: bytes, new: bytes) -> bytes:
    """The frame with other bytes in one place, and a size that fits."""
    assert frame[at : at + len(old)] == old
    return sized(frame[4:at] + new + frame[at + len(old) :])


CLASSIC, FLEXIBLE = metadata(1), metadata(9)
WITHOUT_TAGS = pack(">hhih", 3, 9, 7, 2) + b"me\0" + b"\x03\x05cats\x05dogs" + b"\1\0\0"
OLD_LENGTHS = pack(">hhih", 3, 9, 7, 2) + b"me" + pack(">ih", 2, 4) + b"cats\0\4dogs" + b"\1\0\0"


@pytest.mark.parametrize(
    ("frame", "place", "guess"),
    [
        (changed(CLASSIC, 16, b"\0\0\0\2", b"\2\0\0\0"), "byte 16: topics", "little-endian"),
        (changed(CLASSIC, 20, b"\0\4", b"\4\0"), "byte 20: topics[0].name", "little-endian"),
        (changed(CLASSIC, 26, b"\0\4", b"\0\6"), "byte 26: topics[1].name", "its own 2 bytes"),
        (sized(OLD_LENGTHS), "byte", "lengths are int16 and int32; from version 9 on"),
        (sized(WITHOUT_TAGS), "byte", "tagged fields are missing"),
        (
            changed(FLEXIBLE, 16, b"\0", b""),
            "byte",
            "tagged fields are missing, at least a byte 0, from the header",
        ),
        (changed(CLASSIC, 16, b"", b"\0"), "byte", "in the header"),
        (sized(CLASSIC[4:6] + b"\0\6" + CLASSIC[8:]), "byte", "how version "),
    ],
    ids=[
        "little count", "little length", "length with itself", "lengths of before",
        "no tagged fields", "no tagged fields in the header", "tagged fields too early",
        "another version",
    ],
)  # fmt: skip
def test_fields(frame: bytes, place: str, guess: str) -> None:
    found = LENS.request(frame)
    assert len(found.faults) == 1, mistakes(found)
    assert str(found.faults[0]).startswith(place)
    assert guess in found.faults[0].guess, mistakes(found)


def test_numbers_all_in_little_endian_order() -> None:
    body = pack("<hhih", 3, 1, 7, 2) + b"me" + pack("<ih", 1, 4) + b"cats"
    found = LENS.request(pack("<i", len(body)) + body)
    assert [fault.guess for fault in found.faults] == [
        "it is in little-endian order",
        "all numbers are in little-endian order",
    ]


def test_text_null_and_tags_do_not_end_the_reading() -> None:
    frame = changed(CLASSIC, 22, b"cats", b"c\xffts")
    found = LENS.request(frame)
    assert mistakes(found) == ["byte 23: topics[0].name: UTF-8 expected, found the byte 0xff"]
    assert found.message is not None
    null = LENS.request(sized(CLASSIC[4:20] + b"\xff\xff" + CLASSIC[26:]))
    assert mistakes(null) == [
        "byte 20: topics[0].name: a value expected, null found: this field cannot be null"
    ]


def test_what_follows_the_message_is_too_much() -> None:
    found = LENS.request(sized(metadata(1)[4:] + b"\0\0"))
    assert mistakes(found) == ["byte 32: end: MetadataRequest ends here, 2 bytes more in the frame"]


def test_versions_and_apis_that_never_were() -> None:
    assert (
        "the key of an API, 0 to 94, expected, not 999"
        in mistakes(LENS.request(sized(pack(">hhih", 999, 0, 1, -1))))[0]
    )
    found = LENS.request(sized(pack(">hhih", 3, 99, 1, -1)))
    assert mistakes(found)[0].startswith("byte 6: header.api_version: a version of Metadata, 0-13")


def test_a_produce_without_acks_has_no_answer() -> None:
    assert LENS.request(produce(b"", acks=0)).asked is None
    assert LENS.request(produce(b"", acks=1)).asked == RequestSummary(0, 7, 7)


def test_api_versions_too_new_is_answered_in_version_0() -> None:
    message = ApiVersionsResponse(error_code=35, api_keys=[])
    frame = encode_response(ApiKey.API_VERSIONS, 0, 7, message).joined()
    found = LENS.response(frame, RequestSummary(18, 4, 7))
    assert (found.version, mistakes(found)) == (0, [])


def test_a_response_to_something_else() -> None:
    message = MetadataResponse(brokers=[], topics=[])
    frame = encode_response(ApiKey.METADATA, 1, 8, message).joined()
    found = LENS.response(frame, RequestSummary(3, 1, 7))
    assert mistakes(found) == [
        "byte 4: header.correlation_id: 7 expected, that of the request, not 8"
    ]


def test_what_consumers_tell_each_other_is_read_too() -> None:
    reported = pack(">hih", 0, 1, 4) + b"dogs" + pack(">i", -1)
    found = LENS.request(joining(reported))
    assert "protocols[0].metadata.topics[0]" in {part.path for part in found.parts}
    other = LENS.request(joining(b"connect"))
    assert mistakes(other) == []
    assert [part.value for part in other.parts if part.path == "protocols[0].metadata"][
        -1
    ] == b"connect"


def joining(metadata: bytes) -> bytes:
    values: dict[str, Any] = {
        "group_id": "g", "session_timeout_ms": 1, "member_id": "", "protocol_type": "consumer",
        "protocols": [JoinGroupRequestProtocol(name="range", metadata=metadata)],
    }  # fmt: skip
    header = RequestHeader(ApiKey.JOIN_GROUP, 0, 7, "me")
    return encode_request(header, JoinGroupRequest(**values)).joined()
