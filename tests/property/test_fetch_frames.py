"""The direct reading and writing of Fetch agrees with the generated codecs, byte for byte."""

from struct import Struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barnabas.dialects.commands import Fetched, FetchOutcome
from barnabas.dialects.dialect import Request
from barnabas.dialects.kafka.fetch import fetch_command, fetch_response
from barnabas.dialects.kafka.fetch_frames import read_all, write_all
from barnabas.dialects.kafka.rules import FETCH_CODES
from barnabas.errors import DecodeError, ErrorCode
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.fetch import (
    FetchPartition,
    FetchRequest,
    FetchTopic,
    ForgottenTopic,
    ReplicaState,
)
from barnabas.protocol.headers import (
    RequestHeader,
    encode_request,
    encode_response,
    read_request_header,
)
from barnabas.records.aborted_transaction import AbortedTransaction
from barnabas.versions import VersionRange
from barnabas.wire.compiler import Codec
from barnabas.wire.send import FileSlice, Send
from tests.unit.runtime.connections.test_connection import BytesFile

pytestmark = pytest.mark.kernels

SERVED = VersionRange(4, 18)
HEAD = Struct(">hhih")
VERSIONS = st.integers(SERVED.first, SERVED.last)
NAMES = st.sampled_from(["dogs", "cats.and.dogs", "ö", "n" * 126, "n" * 127, ""])
INT32 = st.integers(-(2**31), 2**31 - 1)
INT64 = st.integers(-(2**63), 2**63 - 1)
IDS = st.sampled_from([bytes(16), b"a" * 16])
FILE = BytesFile(bytes(range(256)) * 300)

PARTITIONS = st.builds(
    FetchPartition,
    partition=INT32,
    current_leader_epoch=INT32,
    fetch_offset=INT64,
    last_fetched_epoch=INT32,
    log_start_offset=INT64,
    partition_max_bytes=INT32,
    high_watermark=st.sampled_from([2**63 - 1, 2**63 - 1, 7]),
)
REQUESTS = st.builds(
    FetchRequest,
    cluster_id=st.sampled_from([None, None, None, "c"]),
    replica_id=INT32,
    replica_state=st.sampled_from([None, None, ReplicaState(replica_id=3)]),
    max_wait_ms=INT32,
    min_bytes=INT32,
    max_bytes=INT32,
    isolation_level=st.integers(0, 1),
    session_id=INT32,
    session_epoch=INT32,
    topics=st.lists(
        st.builds(
            FetchTopic, topic=NAMES, topic_id=IDS, partitions=st.lists(PARTITIONS, max_size=3)
        ),
        max_size=3,
    ),
    forgotten_topics_data=st.sampled_from([[], [], [ForgottenTopic(topic="x", partitions=[1])]]),
    rack_id=st.sampled_from(["", "rack"]),
)


@given(
    request=REQUESTS, version=VERSIONS, client_id=st.sampled_from([None, "", "driver", "ö" * 200])
)
def test_what_is_read_directly_is_what_the_codec_reads(
    request: FetchRequest, version: int, client_id: str | None
) -> None:
    header = RequestHeader(ApiKey.FETCH, version, 77, client_id)
    frame = memoryview(encode_request(header, request).joined())[4:]
    position = len(frame) - len(Codec.of(FetchRequest, version).encode(request))
    expected = fetch_command(Codec.of(FetchRequest, version).decode(frame, position)[0], version)
    found = read_all(frame, SERVED)
    assert found is None or found == Request(1, version, 77, client_id, expected)
    if version < 12 and not expected.forgotten:
        assert found is not None
    assert read_all(frame, VersionRange(version + 1, 18)) is None
    assert read_all(frame, VersionRange(4, version - 1)) is None


@given(data=st.binary(max_size=90), version=VERSIONS)
def test_what_no_codec_reads_is_not_read(data: bytes, version: int) -> None:
    judge(memoryview(HEAD.pack(1, version, 5, -1) + data))


@given(request=REQUESTS, version=VERSIONS, data=st.data())
def test_a_damaged_request_is_not_read_as_another(
    request: FetchRequest, version: int, data: st.DataObject
) -> None:
    header = RequestHeader(ApiKey.FETCH, version, 77, "driver")
    frame = bytearray(encode_request(header, request).joined()[4:])
    for _ in range(data.draw(st.integers(1, 3))):
        frame[data.draw(st.integers(8, len(frame) - 1))] = data.draw(st.integers(0, 255))
    judge(memoryview(bytes(frame[: data.draw(st.integers(8, len(frame)))])))


def judge(frame: memoryview) -> None:
    """What is read of a frame must be what the codecs read."""
    found = read_all(frame, SERVED)
    if found is not None:
        try:
            header, position = read_request_header(frame)
            version = header.api_version
            message, end = Codec.of(FetchRequest, version).decode(frame, position)
        except DecodeError as error:
            raise AssertionError(f"read directly as {found}") from error
        assert end == len(frame)
        assert Request(*header, fetch_command(message, version)) == found


@pytest.mark.parametrize("size", range(12))
def test_a_frame_too_short_for_a_header_is_not_read(size: int) -> None:
    assert read_all(memoryview(bytes((0, 1, 0, 11, *range(8)))[:size]), SERVED) is None


def written(send: Send) -> bytes:
    parts = [
        part.file.read(part.position, part.size) if isinstance(part, FileSlice) else bytes(part)
        for part in send.parts
    ]
    assert sum(map(len, parts)) == len(send)
    return b"".join(parts)


ABORTED = st.builds(AbortedTransaction, INT64, INT64, INT64, INT64)
SLICES = st.builds(FileSlice, st.just(FILE), st.integers(0, 100), st.sampled_from([1, 200, 70_000]))


@given(
    version=VERSIONS,
    correlation_id=INT32,
    outcome=st.builds(
        FetchOutcome,
        st.sampled_from([ErrorCode.NONE, ErrorCode.INVALID_FETCH_SESSION_EPOCH]),
        INT32,
        st.lists(
            st.builds(
                Fetched,
                NAMES,
                IDS,
                INT32,
                st.sampled_from(ErrorCode),
                *(INT64, INT64, INT64),
                records=st.none() | SLICES,
                diverging_epoch=st.sampled_from([-1, -1, -1, 5]),
                aborted=st.none() | st.lists(ABORTED, max_size=9),
            ),
            max_size=5,
        ),
    ),
)
def test_what_is_written_directly_is_what_the_codec_writes(
    version: int, correlation_id: int, outcome: FetchOutcome
) -> None:
    found = write_all(correlation_id, outcome, version, FETCH_CODES[version])
    if found is not None:
        message = fetch_response(outcome, version)
        expected = encode_response(ApiKey.FETCH, version, correlation_id, message)
        assert written(found) == written(expected)
    elif version < 12:
        raise AssertionError("the old layouts hold nothing that is not written directly")
