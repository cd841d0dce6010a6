"""The direct reading and writing of Fetch agrees with the generated codecs, byte for byte."""

from hypothesis import given
from hypothesis import strategies as st

from barnabas.dialects.commands import Fetched, FetchOutcome
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
from barnabas.protocol.headers import encode_response
from barnabas.wire.compiler import Codec
from barnabas.wire.send import FileSlice, Send
from tests.unit.runtime.test_connection import BytesFile

VERSIONS = st.integers(4, 18)
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


@given(request=REQUESTS, version=VERSIONS)
def test_what_is_read_directly_is_what_the_codec_reads(request: FetchRequest, version: int) -> None:
    codec = Codec.of(FetchRequest, version)
    frame = memoryview(b"header" + codec.encode(request))
    expected = fetch_command(codec.decode(frame, 6)[0], version)
    found = read_all(frame, 6, version)
    assert found is None or found == expected
    if version < 12 and not expected.forgotten:
        assert found is not None


@given(data=st.binary(max_size=90), version=VERSIONS)
def test_what_no_codec_reads_is_not_read(data: bytes, version: int) -> None:
    found = read_all(memoryview(data), 0, version)
    if found is not None:
        try:
            message, _ = Codec.of(FetchRequest, version).decode(memoryview(data), 0)
        except DecodeError as error:
            raise AssertionError(f"read directly as {found}") from error
        assert fetch_command(message, version) == found


def written(send: Send) -> bytes:
    parts = [
        part.file.read(part.position, part.size) if isinstance(part, FileSlice) else bytes(part)
        for part in send.parts
    ]
    assert sum(map(len, parts)) == len(send)
    return b"".join(parts)


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
