"""Both sides of a connection: responses beside their requests, with other frames in between."""

import pytest

from barnabas.lens.capture.conversation import Conversation, SentFrame
from barnabas.lens.capture.frames import Frames
from barnabas.lens.languages.kafka import KafkaLens
from barnabas.lens.languages.kafka07 import Kafka07Lens
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.api_versions import ApiVersionsRequest, ApiVersionsResponse
from barnabas.protocol.headers import RequestHeader, encode_request, encode_response
from barnabas.protocol.metadata import MetadataRequest, MetadataResponse
from tests.wires import golden07


def request(key: ApiKey, version: int, correlation_id: int, message: object) -> bytes:
    return encode_request(RequestHeader(key, version, correlation_id, "me"), message).joined()


ASKS = [
    request(ApiKey.METADATA, 1, 1, MetadataRequest(topics=[])),
    request(ApiKey.API_VERSIONS, 0, 2, ApiVersionsRequest()),
]
ANSWERS = [
    encode_response(ApiKey.METADATA, 1, 1, MetadataResponse(brokers=[], topics=[])).joined(),
    encode_response(
        ApiKey.API_VERSIONS, 0, 2, ApiVersionsResponse(error_code=0, api_keys=[])
    ).joined(),
]


def names(reported: list[SentFrame]) -> list[tuple[str, str, int]]:
    return [(each.explained.name, each.explained.kind, each.position) for each in reported]


def mistakes(reported: list[SentFrame]) -> list[str]:
    return [str(fault) for each in reported for fault in each.explained.faults]


def test_answers_are_read_by_their_requests_in_any_order() -> None:
    conversation = Conversation(KafkaLens())
    asked = [one for byte in b"".join(ASKS) for one in conversation.from_client(bytes((byte,)))]
    assert names(asked) == [("Metadata", "request", 0), ("ApiVersions", "request", len(ASKS[0]))]
    reported = conversation.from_broker(ANSWERS[1] + ANSWERS[0])
    assert [name for name, _, _ in names(reported)] == ["ApiVersions", "Metadata"]
    assert mistakes(asked + reported + conversation.end()) == []


def test_an_answer_that_nobody_asked_for() -> None:
    conversation = Conversation(KafkaLens())
    reported = conversation.from_broker(ANSWERS[0])
    assert names(reported) == [("unknown", "response", 0)]
    assert mistakes(reported) == [
        "byte 4: header.correlation_id: it answers no request that was seen"
    ]


def test_what_was_cut_off_is_reported_at_the_end() -> None:
    conversation = Conversation(KafkaLens())
    assert conversation.from_client(ASKS[0] + ASKS[1][:-1])
    (cut,) = conversation.end()
    assert (cut.explained.name, cut.position) == ("ApiVersions", len(ASKS[0]))
    assert mistakes([cut])[0].startswith("byte 0: size: a size of ")


def test_bytes_that_a_capture_lacks_end_one_frame_and_not_the_conversation() -> None:
    conversation = Conversation(KafkaLens())
    conversation.from_client(ASKS[0][:9])
    reported = conversation.lose(7, from_client=True)
    assert [each.explained.name for each in reported] == ["Metadata"]
    reported = conversation.from_client(ASKS[1])
    assert names(reported) == [("ApiVersions", "request", 16)]
    assert mistakes(reported) == []
    assert mistakes(conversation.from_broker(ANSWERS[1])) == []


def test_a_size_that_cannot_be_ends_a_side() -> None:
    conversation = Conversation(KafkaLens())
    assert conversation.from_client(b"\xff\xff\xff\xff" + ASKS[0]) == []
    assert conversation.from_client(ASKS[1]) == []
    (lost,) = conversation.end()
    assert mistakes([lost])[0].startswith("byte 0: size: a size of -1")


def test_replies_of_0_7_come_in_order_and_only_where_there_are_some() -> None:
    topic = "0004 646f6773 00000000"
    fetch = f"00000018 0001 {topic} 0000000000000000 0004b000"
    produce = f"00000010 0000 {topic} 00000000"
    offsets = f"00000018 0004 {topic} ffffffffffffffff 00000001"
    conversation = Conversation(Kafka07Lens())
    asked = conversation.from_client(bytes.fromhex(fetch + produce + offsets))
    assert [name for name, _, _ in names(asked)] == ["FETCH", "PRODUCE", "OFFSETS"]
    reported = conversation.from_broker(bytes.fromhex("00000002 0001 00000006 0000 00000000"))
    assert [name for name, _, _ in names(reported)] == ["FETCH", "OFFSETS"]
    assert mistakes(asked + reported) == []


def test_what_nobody_can_cut_is_not_kept_for_ever() -> None:
    frames = Frames()
    for _ in range(100):
        assert list(frames.feed(b"\xff" * 65536)) == []
    assert frames.lost
    assert len(frames.held) == 1 << 20


@pytest.mark.parametrize("there", [9, 20, 27])
def test_a_frame_of_kafka_07_that_was_cut_off_has_its_size(there: int) -> None:
    """Its first bytes, 0 and a small number, could be a type and a length as well."""
    conversation = Conversation(Kafka07Lens())
    assert not conversation.from_client(golden07.FETCH[:there])
    (cut,) = conversation.end()
    size = len(golden07.FETCH) - 4
    assert cut.explained.name == "FETCH"
    assert mistakes([cut])[0] == (
        f"byte 0: size: a size of {size}, of which {there - 4} bytes came: the frame is cut off"
    )
