import pytest

from barnabas.errors import DecodeError, LocalProtocolError
from barnabas.protocol.api_keys import APIS, Api, ApiKey
from barnabas.protocol.api_versions import ApiVersionsRequest, ApiVersionsResponse
from barnabas.protocol.controlled_shutdown import ControlledShutdownRequest
from barnabas.protocol.declared import DECLARED
from barnabas.protocol.headers import (
    RequestHeader,
    decode_response,
    encode_request,
    encode_response,
    read_request_header,
    response_encoder,
)
from barnabas.protocol.heartbeat import HeartbeatResponse
from barnabas.protocol.metadata import MetadataRequest
from barnabas.protocol.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from barnabas.wire.compiler import Codec


@pytest.mark.parametrize(
    ("version", "frame"),
    [
        (0, "0000000f 0003 0000 00000007 0001 6d 00000000"),
        (8, "00000012 0003 0008 00000007 0001 6d 00000000 01 00 00"),
        (9, "00000011 0003 0009 00000007 0001 6d 00 01 01 00 00 00"),
    ],
)
def test_a_request_is_its_size_header_and_message(version: int, frame: str) -> None:
    header = RequestHeader(ApiKey.METADATA, version, 7, "m")
    sent = encode_request(header, MetadataRequest(topics=[])).joined()
    assert sent.hex() == frame.replace(" ", "")
    read, position = read_request_header(memoryview(sent)[4:])
    assert read == header
    codec = Codec.of(MetadataRequest, version)
    assert codec.decode(memoryview(sent)[4:], position)[1] == len(sent) - 4


@pytest.mark.parametrize(
    ("version", "frame"),
    [(0, "0000000c 0007 0000 00000003 00000005"), (1, "0000000e 0007 0001 00000003 ffff 00000005")],
)
def test_the_first_controlled_shutdown_has_no_client_id(version: int, frame: str) -> None:
    header = RequestHeader(ApiKey.CONTROLLED_SHUTDOWN, version, 3, None)
    sent = encode_request(header, ControlledShutdownRequest(broker_id=5)).joined()
    assert sent.hex() == frame.replace(" ", "")
    read, position = read_request_header(sent[4:])
    assert read == header
    assert sent[4 + position :].hex() == "00000005"


@pytest.mark.parametrize("api", DECLARED.values(), ids=lambda api: api.name)
def test_headers_have_tagged_fields_where_messages_have(api: Api) -> None:
    for version in api.versions:
        tagged = bytes.fromhex("ffff 00")[: 3 if version in api.flexible else 2]
        header = RequestHeader(api.key, version, 1, None)
        frame = int(api.key).to_bytes(2) + version.to_bytes(2) + bytes.fromhex("00000001") + tagged
        if (api.key, version) != (ApiKey.CONTROLLED_SHUTDOWN, 0):
            assert read_request_header(frame) == (header, len(frame))


def test_records_of_a_request_are_handed_over() -> None:
    records = bytes(5000)
    data = TopicProduceData(
        name="t", partition_data=[PartitionProduceData(index=0, records=memoryview(records))]
    )
    message = ProduceRequest(acks=1, timeout_ms=1, topic_data=[data])
    send = encode_request(RequestHeader(ApiKey.PRODUCE, 9, 1, None), message)
    assert any(isinstance(part, memoryview) and part.obj is records for part in send.parts)
    assert int.from_bytes(send.joined()[:4]) == len(send) - 4 == len(send.joined()) - 4


def test_tagged_fields_of_a_header_are_passed_over() -> None:
    frame = bytes.fromhex("0003 0009 00000007 ffff 01 05 03 616263 01 01 00 00 00")
    header, position = read_request_header(frame)
    assert header == RequestHeader(ApiKey.METADATA, 9, 7, None)
    assert frame[position:].hex() == "0101000000"


@pytest.mark.parametrize(
    ("frame", "where"),
    [
        ("0003 0009 0000", "header"),
        ("0003 0008 00000007 0009 6d", "header.client_id"),
        ("0003 0009 00000007 ffff", "header.tagged fields"),
        ("0003 0009 00000007 ffff 01 05 09", "header.tagged fields"),
        ("0063 0000 00000007 ffff", "header.api_key"),
        ("fffe 0000 00000007 ffff", "header.api_key"),
    ],
)
def test_bad_headers_are_named(frame: str, where: str) -> None:
    with pytest.raises(DecodeError) as caught:
        read_request_header(bytes.fromhex(frame))
    assert caught.value.where == where


@pytest.mark.parametrize("tags", ["", "01", "01 05", "01 80"])
def test_a_cut_header_says_what_is_missing(tags: str) -> None:
    with pytest.raises(DecodeError, match=r"whole tagged fields; the frame ends after \d+ bytes"):
        read_request_header(memoryview(bytes.fromhex("0003 0009 00000007 ffff" + tags)))


def test_the_header_is_read_for_versions_that_nobody_has() -> None:
    header, _ = read_request_header(bytes.fromhex("0012 7fff 00000001 0001 6d 00"))
    assert header == RequestHeader(ApiKey.API_VERSIONS, 32767, 1, "m")


@pytest.mark.parametrize("version", range(5))
def test_api_versions_answers_with_a_plain_header_in_all_versions(version: int) -> None:
    message = ApiVersionsResponse(error_code=0, api_keys=[])
    frame = encode_response(ApiKey.API_VERSIONS, version, 3, message).joined()
    assert frame[4:10].hex() == "000000030000"
    assert decode_response(ApiKey.API_VERSIONS, version, frame[4:]) == (3, message)


def test_other_responses_have_tagged_fields_in_flexible_versions() -> None:
    response: Codec[object] = Codec.of(APIS[ApiKey.METADATA].response, 9)
    message, _ = response.decode(bytes.fromhex("00000000 01 00 00000001 01 00000000 00"))
    frame = encode_response(ApiKey.METADATA, 9, 3, message).joined()
    assert frame[4:].hex() == "0000000300" + response.encode(message).hex()
    assert decode_response(ApiKey.METADATA, 9, frame[4:]) == (3, message)
    with pytest.raises(DecodeError, match="header.correlation_id"):
        decode_response(ApiKey.METADATA, 9, b"\0\0")


def test_versions_that_are_not_declared_cannot_be_sent() -> None:
    with pytest.raises(LocalProtocolError):
        encode_request(RequestHeader(ApiKey.API_VERSIONS, 99, 1), ApiVersionsRequest())


def test_a_header_cannot_be_filled_with_tagged_fields() -> None:
    start = bytes.fromhex("0003 0009 00000007 0001 6d")
    with pytest.raises(DecodeError, match="at most 1000 of them, not"):
        read_request_header(start + b"\xff\xff\xff\x7f" + bytes(1 << 20))


@pytest.mark.kernels
@pytest.mark.parametrize("version", [0, 4])
def test_a_response_without_records_is_bytes_at_once(version: int) -> None:
    message = HeartbeatResponse(error_code=27)
    frame = response_encoder(ApiKey.HEARTBEAT, version)(7, message)
    assert isinstance(frame, bytes)
    assert frame == encode_response(ApiKey.HEARTBEAT, version, 7, message).joined()
