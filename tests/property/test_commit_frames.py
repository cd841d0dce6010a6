"""The direct reading and writing of OffsetCommit agrees with the generated codecs, byte for byte."""

from dataclasses import replace
from struct import Struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barnabas.dialects.commands import CommitOffsets, CommitRun
from barnabas.dialects.dialect import Request
from barnabas.dialects.kafka.commit import commit_command, commit_response
from barnabas.dialects.kafka.commit_frames import (
    read_all,
    read_any,
    read_several,
    write_all,
    write_any,
)
from barnabas.errors import DecodeError, ErrorCode
from barnabas.kernels import commit_frames
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.headers import (
    RequestHeader,
    encode_request,
    encode_response,
    read_request_header,
)
from barnabas.protocol.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from barnabas.versions import VersionRange
from barnabas.wire.compiler import Codec
from tests.kernel_forms import source

pytestmark = pytest.mark.kernels

SERVED = VersionRange(0, 10)
HEAD = Struct(">hhih")
VERSIONS = st.integers(2, SERVED.last)
DIRECT = VersionRange(8, 10)
NAMES = st.sampled_from(["dogs", "cats.and.dogs", "ö", "n" * 126, "n" * 127, ""])
INT32 = st.integers(-(2**31), 2**31 - 1)
INT64 = st.integers(-(2**63), 2**63 - 1)
IDS = st.sampled_from([bytes(16), b"a" * 16])

PARTITIONS = st.builds(
    OffsetCommitRequestPartition,
    partition_index=INT32,
    committed_offset=INT64,
    committed_leader_epoch=INT32,
    committed_metadata=st.sampled_from([None, "", "told", "m" * 126, "m" * 127]),
)
REQUESTS = st.builds(
    OffsetCommitRequest,
    group_id=NAMES,
    generation_id_or_member_epoch=INT32,
    member_id=NAMES,
    group_instance_id=st.sampled_from([None, "", "static"]),
    topics=st.lists(
        st.builds(
            OffsetCommitRequestTopic, name=NAMES, topic_id=IDS,
            partitions=st.lists(PARTITIONS, max_size=3),
        ),
        max_size=3,
    ),
)  # fmt: skip
FORMS: list[Any] = [commit_frames, source("commit_frames")]


@given(
    request=REQUESTS, version=VERSIONS, client_id=st.sampled_from([None, "", "driver", "ö" * 200])
)
def test_what_is_read_directly_is_what_the_codec_reads(
    request: OffsetCommitRequest, version: int, client_id: str | None
) -> None:
    header = RequestHeader(ApiKey.OFFSET_COMMIT, version, 77, client_id)
    frame = memoryview(encode_request(header, request).joined())[4:]
    judge(frame)
    short = [request.group_id, request.member_id]
    short += [one.name for one in request.topics]
    short += [one.committed_metadata or "" for each in request.topics for one in each.partitions]
    whole = all(one.partitions for one in request.topics)
    if version in DIRECT and whole and all(len(one) < 127 for one in short):
        assert read_all(frame, SERVED) is not None
    assert read_all(frame, VersionRange(version + 1, 10)) is None
    assert read_all(frame, VersionRange(0, version - 1)) is None


@given(data=st.binary(max_size=90), version=VERSIONS)
def test_what_no_codec_reads_is_not_read(data: bytes, version: int) -> None:
    judge(memoryview(HEAD.pack(8, version, 5, -1) + data))


@given(request=REQUESTS, version=VERSIONS, data=st.data())
def test_a_damaged_request_is_not_read_as_another(
    request: OffsetCommitRequest, version: int, data: st.DataObject
) -> None:
    header = RequestHeader(ApiKey.OFFSET_COMMIT, version, 77, "driver")
    frame = bytearray(encode_request(header, request).joined()[4:])
    for _ in range(data.draw(st.integers(1, 3))):
        frame[data.draw(st.integers(8, len(frame) - 1))] = data.draw(st.integers(0, 255))
    judge(memoryview(bytes(frame[: data.draw(st.integers(8, len(frame)))])))


def judge(frame: memoryview) -> None:
    """What is read of a frame must be what the codecs read, in either form of the kernel."""
    found = read_all(frame, SERVED)
    forms = [_read(form, frame) for form in FORMS]
    assert forms[0] == forms[1]
    alone = [_read_several(form, bytes(frame), -4) for form in FORMS]
    assert alone[0] == alone[1]
    if alone[0] is None:
        assert read_any(frame, SERVED) == found
    else:
        run = read_any(frame, SERVED)
        assert run is not None
        assert isinstance(run.body, CommitRun)
        assert replace(run, body=run.body.first) == found
    if found is not None:
        try:
            header, position = read_request_header(frame)
            version = header.api_version
            message, end = Codec.of(OffsetCommitRequest, version).decode(frame, position)
        except DecodeError as error:
            raise AssertionError(f"read directly as {found}") from error
        assert end == len(frame)
        assert Request(*header, commit_command(message)) == found


def _read(form: Any, frame: memoryview) -> object:
    try:
        return form.read(bytes(frame), 0, 10, tuple.__new__, tuple, tuple)
    except UnicodeDecodeError:
        return None


@pytest.mark.parametrize("size", range(14))
def test_a_frame_too_short_for_a_header_is_not_read(size: int) -> None:
    judge(memoryview(bytes((0, 8, 0, 9, *range(10)))[:size]))


@given(request=REQUESTS, version=VERSIONS, data=st.data())
def test_what_is_written_directly_is_what_the_codec_writes(
    request: OffsetCommitRequest, version: int, data: st.DataObject
) -> None:
    command = commit_command(request)
    count = sum(len(topic.offsets) for topic in command.topics)
    codes = data.draw(st.lists(st.sampled_from(ErrorCode), min_size=count, max_size=count))
    response = commit_response(command, codes)
    expected = encode_response(ApiKey.OFFSET_COMMIT, version, 77, response).joined()
    for form in FORMS:
        assert form.write(77, version, command.topics, codes) in {None, expected}
    if version in DIRECT and (version == 10 or all(len(one[0]) < 127 for one in command.topics)):
        assert write_all(77, command, codes, version) == expected


@pytest.mark.parametrize("form", FORMS)
def test_a_code_is_missed(form: Any) -> None:
    with pytest.raises(ValueError, match="a code for each"):
        form.write(1, 9, [("dogs", bytes(16), [(0, 7, 1, "", -1)])], [])


ONE_EACH = st.lists(
    st.builds(
        OffsetCommitRequest,
        group_id=NAMES,
        generation_id_or_member_epoch=INT32,
        member_id=st.sampled_from(["", "m1", "ö", "n" * 127]),
        group_instance_id=st.sampled_from([None, "", "static"]),
        topics=st.lists(
            st.builds(
                OffsetCommitRequestTopic, name=NAMES, topic_id=IDS,
                partitions=st.lists(PARTITIONS, min_size=1, max_size=1),
            ),
            min_size=1, max_size=1,
        ),
    )
    | st.just(
        OffsetCommitRequest(
            group_id="pack", generation_id_or_member_epoch=-1, member_id="",
            topics=[
                OffsetCommitRequestTopic(
                    name="dogs", topic_id=bytes(16),
                    partitions=[
                        OffsetCommitRequestPartition(
                            partition_index=0, committed_offset=7, committed_metadata=""
                        )
                    ],
                )
            ],
        )
    ),
    min_size=1, max_size=6,
)  # fmt: skip


def frames_of(requests: list[OffsetCommitRequest], version: int, client_id: str | None) -> bytes:
    """Whole frames, numbered, sizes in front."""
    headers = [
        RequestHeader(ApiKey.OFFSET_COMMIT, version, number, client_id)
        for number in range(len(requests))
    ]
    both = zip(headers, requests, strict=True)
    return b"".join(encode_request(header, request).joined() for header, request in both)


def frames_in(received: bytes) -> list[memoryview]:
    """The frames that fill it."""
    found, at = [], 0
    while at < len(received):
        size = int.from_bytes(received[at : at + 4], signed=True)
        assert 0 <= size <= len(received) - at - 4
        found.append(memoryview(received)[at + 4 : at + 4 + size])
        at += 4 + size
    return found


def judge_several(received: bytes) -> Request | None:
    """What is read as one must be what is read of each, in either form of the kernel."""
    found = read_several(memoryview(received), SERVED)
    forms = [_read_several(form, received) for form in FORMS]
    assert forms[0] == forms[1]
    if found is None:
        return None
    run = found.body
    assert isinstance(run, CommitRun)
    frames = frames_in(received)
    assert len(frames) == len(run.rows)
    before = None
    for frame, (number, who, name, *position) in zip(frames, run.rows, strict=True):
        one = read_all(frame, SERVED)
        assert one is not None
        assert one == Request(8, found.api_version, number, found.client_id, one.body)
        assert isinstance(one.body, CommitOffsets)
        ((topic, topic_id, (offset,)),) = one.body.topics
        assert one.body[:4] == who
        assert name == (topic_id if found.api_version >= 10 else topic)
        assert (*position, -1) == tuple(offset)
        if before is not None:
            # The same object where it says the same: who looks for changes compares no more.
            assert all(
                (one is other) == (one == other)
                for one, other in zip(before, (who, name), strict=True)
            )
        before = who, name
    return found


def _read_several(form: Any, received: bytes, first: int = 0) -> object:
    try:
        return form.read_several(received, first, 0, 10, 256)
    except UnicodeDecodeError:
        return None


@given(requests=ONE_EACH, version=VERSIONS, client_id=st.sampled_from([None, "", "driver"]))
def test_several_are_read_as_each_of_them(
    requests: list[OffsetCommitRequest], version: int, client_id: str | None
) -> None:
    received = frames_of(requests, version, client_id)
    found = judge_several(received)
    short = [one.group_id for one in requests] + [one.member_id for one in requests]
    for request in requests:
        topic = request.topics[0]
        short += [topic.name, topic.partitions[0].committed_metadata or ""]
    assert (found is not None) >= (version in DIRECT and all(len(one) < 127 for one in short))
    if found is not None:
        assert read_several(memoryview(received), VersionRange(version + 1, 10)) is None
        for form in FORMS:
            assert form.read_several(received, 0, 0, 10, len(requests) - 1) is None


@given(requests=ONE_EACH, version=st.integers(8, 10), data=st.data())
def test_damaged_ones_are_not_read_as_others(
    requests: list[OffsetCommitRequest], version: int, data: st.DataObject
) -> None:
    received = bytearray(frames_of(requests, version, "driver"))
    for _ in range(data.draw(st.integers(0, 3))):
        received[data.draw(st.integers(0, len(received) - 1))] = data.draw(st.integers(0, 255))
    judge_several(bytes(received[: data.draw(st.integers(0, len(received)))]))


@given(requests=ONE_EACH, version=st.integers(8, 10), data=st.data())
def test_replies_to_several_are_those_to_each(
    requests: list[OffsetCommitRequest], version: int, data: st.DataObject
) -> None:
    received = frames_of(requests, version, "driver")
    found = judge_several(received)
    if found is None:
        return
    count = len(requests)
    codes = data.draw(st.lists(st.sampled_from(ErrorCode), min_size=count, max_size=count))
    replies = []
    for frame, code in zip(frames_in(received), codes, strict=True):
        one = read_all(frame, SERVED)
        assert one is not None
        reply = write_any(one, [code])
        assert reply is not None
        replies.append(reply)
    assert write_any(found, codes) == b"".join(replies)
    assert isinstance(found.body, CommitRun)
    for form in FORMS:
        assert form.write_several(version, found.body.rows, codes) == b"".join(replies)
        with pytest.raises(ValueError, match="a code for each"):
            form.write_several(version, found.body.rows, codes[1:])
