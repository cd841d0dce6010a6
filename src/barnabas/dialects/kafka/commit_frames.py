"""OffsetCommit straight between bytes and command, for its flexible versions (8 to 10).

What has tagged fields or names beyond 126 bytes is left to the generated codecs (see `commit`), with
which this agrees byte for byte, which is tested. A kernel does the work: it needs a tenth of their time.
"""

from collections.abc import Sequence

from barnabas.dialects.commands import CommitOffset, CommitOffsets, CommitRun, CommitTopic
from barnabas.dialects.dialect import Request
from barnabas.errors import ErrorCode
from barnabas.kernels import commit_frames
from barnabas.protocol.api_keys import ApiKey
from barnabas.types import new_tuple
from barnabas.versions import VersionRange

_OFFSET_COMMIT = int(ApiKey.OFFSET_COMMIT)
_MOST_BYTES = 1 << 16
"""Of a request that is read here: it is copied once, and holds no more than 4,000 partitions."""
_MOST_TOGETHER = 256
"""Requests that are read as one."""
_NO_RETENTION = -1
_WITHOUT_SIZE = -4
"""Where a frame begins of which only what is behind its size is told."""


def read_all(frame: memoryview, versions: VersionRange) -> Request | None:
    """The request in a whole frame; None if it is none of these versions or not read here."""
    if len(frame) > _MOST_BYTES:
        return None
    try:
        row = commit_frames.read(
            bytes(frame), versions.first, versions.last, new_tuple, CommitTopic, CommitOffset
        )
    except UnicodeDecodeError:
        return None
    if row is None:
        return None
    version, correlation_id, client_id, group_id, generation, member_id, instance_id, topics = row
    body = new_tuple(
        CommitOffsets, (group_id, generation, member_id, instance_id, _NO_RETENTION, topics)
    )
    return Request(_OFFSET_COMMIT, version, correlation_id, client_id, body)


def write_all(
    correlation_id: int, command: CommitOffsets, codes: Sequence[ErrorCode], version: int
) -> bytes | None:
    """The whole reply with its size; None if it has what is not written here."""
    return commit_frames.write(correlation_id, version, command.topics, codes)


def read_several(received: memoryview, versions: VersionRange) -> Request | None:
    """Whole frames that keep one position each as one request, that of the first; None: another."""
    return _read_run(received, 0, versions)


def read_any(frame: memoryview, versions: VersionRange) -> Request | None:
    """As `read_all`, but what keeps one position is a run of one."""
    request = _read_run(frame, _WITHOUT_SIZE, versions)
    return read_all(frame, versions) if request is None else request


def _read_run(received: memoryview, first: int, versions: VersionRange) -> Request | None:
    if len(received) > _MOST_BYTES:
        return None
    try:
        read = commit_frames.read_several(
            bytes(received), first, versions.first, versions.last, _MOST_TOGETHER
        )
    except UnicodeDecodeError:
        return None
    if read is None:
        return None
    version, client_id, rows = read
    run = new_tuple(CommitRun, (rows,))
    return Request(_OFFSET_COMMIT, version, rows[0][0], client_id, run)


def write_any(request: Request, codes: list[ErrorCode]) -> bytes | None:
    """The whole reply with its size, or those to requests that were read as one; None as `write_all`."""
    version, body = request.api_version, request.body
    if type(body) is CommitRun:
        return commit_frames.write_several(version, body.rows, codes)
    assert isinstance(body, CommitOffsets)
    return write_all(request.correlation_id, body, codes, version)
