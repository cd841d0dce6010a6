"""Fetch straight between bytes and command, for every layout since version 4 without tagged fields.

What has tagged fields, forgotten topics or names beyond 126 bytes is left to the generated codecs (see
`fetch`), with which this agrees byte for byte, which is tested. Kernels do the work:
they need less than a tenth of their time.
"""

from collections.abc import Mapping
from typing import cast

from barnabas.dialects.commands import Fetch, FetchOutcome, Forgotten, Read
from barnabas.dialects.dialect import Request
from barnabas.errors import ErrorCode
from barnabas.kernels import fetch_reading, fetch_writing
from barnabas.protocol.api_keys import ApiKey
from barnabas.types import Buffer, new_tuple
from barnabas.versions import VersionRange
from barnabas.wire.send import FileSlice, Send

_FETCH = int(ApiKey.FETCH)
_READ_COMMITTED = 1
_FIRST_BY_TOPIC_ID = 13
_MOST_BYTES = 1 << 16
"""Of a request that is read here: it is copied once, and holds no more than 3,000 partitions."""
_NOTHING_FORGOTTEN: list[Forgotten] = []


def read_all(frame: memoryview, versions: VersionRange) -> Request | None:
    """The request in a whole frame; None if it is none of these versions or not read here."""
    if len(frame) > _MOST_BYTES:
        return None
    try:
        row = fetch_reading.read(bytes(frame), versions.first, versions.last, new_tuple, Read)
    except UnicodeDecodeError:
        return None
    if row is None:
        return None
    (
        version, correlation_id, client_id, replica, wait, least, most, isolation, session, epoch,
        reads,
    ) = row  # fmt: skip
    committed, by_topic_id = isolation == _READ_COMMITTED, version >= _FIRST_BY_TOPIC_ID
    body = new_tuple(
        Fetch,
        (
            replica, wait, least, most, committed, session, epoch, by_topic_id, reads,
            _NOTHING_FORGOTTEN,
        ),
    )  # fmt: skip
    return Request(_FETCH, version, correlation_id, client_id, body)


def write_all(
    correlation_id: int, outcome: FetchOutcome, version: int, codes: Mapping[int, ErrorCode]
) -> Send | None:
    """The whole reply with its size; None if it has what is not written here.

    `codes`: what clients of this version get for a code.
    """
    error, session_id, fetched = outcome
    written = fetch_writing.write(correlation_id, version, error, session_id, fetched, codes)
    if written is None:
        return None
    send = Send()
    parts, size = written
    send.add_all(cast("list[Buffer | FileSlice]", parts), size)
    return send
