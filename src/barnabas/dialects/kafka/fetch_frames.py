"""Fetch straight between bytes and command, for every layout since version 4 without tagged fields.

What has tagged fields, forgotten topics or names beyond 126 bytes is left to the generated codecs (see
`fetch`), with which this agrees byte for byte, which is tested. It needs a third of their time.
"""

from collections.abc import Mapping
from itertools import groupby
from struct import Struct, error
from typing import NamedTuple

from barnabas.dialects.commands import Fetch, Fetched, FetchOutcome, Forgotten, Read
from barnabas.errors import ErrorCode
from barnabas.versions import VersionTable
from barnabas.wire.send import Send
from barnabas.wire.tagged import varint

_NO_ID = bytes(16)
_INT16 = Struct(">h")
_INT32 = Struct(">i")
_READ_COMMITTED = 1
_NOTHING_FORGOTTEN: list[Forgotten] = []


class _Asked(NamedTuple):
    """How a version lays out its requests: `head` up to the topics, `part` for each partition."""

    head: Struct
    part: Struct
    sessions: bool
    rack: bool


_ASKED = VersionTable(
    {
        4: _Asked(Struct(">iiiibi"), Struct(">iqi"), sessions=False, rack=False),
        5: _Asked(Struct(">iiiibi"), Struct(">iqqi"), sessions=False, rack=False),
        7: _Asked(Struct(">iiiibiii"), Struct(">iqqi"), sessions=True, rack=False),
        9: _Asked(Struct(">iiiibiii"), Struct(">iiqqi"), sessions=True, rack=False),
        11: _Asked(Struct(">iiiibiii"), Struct(">iiqqi"), sessions=True, rack=True),
        12: _Asked(Struct(">iiiibiiB"), Struct(">iiqiqiB"), sessions=True, rack=True),
        15: _Asked(Struct(">iiibiiB"), Struct(">iiqiqiB"), sessions=True, rack=True),
    }
)
_BY_VERSION = {version: _ASKED[version] for version in range(4, 19)}


def read_all(frame: memoryview, position: int, version: int) -> Fetch | None:
    """The command of the request at `position`; None if it has what is not read here."""
    try:
        if version < 12:
            return _read_classic(frame, position, _BY_VERSION[version])
        return _read_flexible(frame, position, version)
    except (error, IndexError, UnicodeDecodeError, _Unusual):
        return None


def _read_classic(frame: memoryview, position: int, asked: _Asked) -> Fetch | None:
    session_id, session_epoch = 0, -1
    row = asked.head.unpack_from(frame, position)
    if asked.sessions:
        replica, wait, least, most, isolation, session_id, session_epoch, topics = row
    else:
        replica, wait, least, most, isolation, topics = row
    position += asked.head.size
    reads: list[Read] = []
    unpack, step = asked.part.unpack_from, asked.part.size
    for _ in range(topics):
        (length,) = _INT16.unpack_from(frame, position)
        position += 2 + length
        name = str(frame[position - length : position], "utf-8")
        (count,) = _INT32.unpack_from(frame, position)
        position += 4
        if length < 0 or not 0 <= count * step <= len(frame) - position:
            return None
        for _ in range(count):
            part = unpack(frame, position)
            epoch = part[1] if len(part) == 5 else -1
            reads.append(Read(name, _NO_ID, part[0], part[-2 - (len(part) > 3)], part[-1], epoch))
            position += step
    if asked.sessions:
        (forgotten,) = _INT32.unpack_from(frame, position)
        position += 4
        if forgotten:
            return None
    if asked.rack:
        (length,) = _INT16.unpack_from(frame, position)
        position += 2 + max(length, 0)
    if topics < 0 or position != len(frame):
        return None
    committed = isolation == _READ_COMMITTED
    return Fetch(
        replica, wait, least, most, committed, session_id, session_epoch,
        by_topic_id=False, reads=reads, forgotten=_NOTHING_FORGOTTEN,
    )  # fmt: skip


def _read_flexible(frame: memoryview, position: int, version: int) -> Fetch | None:
    head = _BY_VERSION[version].head
    row = head.unpack_from(frame, position)
    # Since version 15 the replica has moved to a tagged field.
    replica, wait, least, most, isolation, session_id, session_epoch, topics = (
        row if version < 15 else (-1, *row)
    )
    reads, position = _read_topics(frame, position + head.size, topics, version)
    rack = frame[position + 1]
    end = position + 1 + rack
    if frame[position] != 1 or not 0 < rack < 128 or frame[end] or end + 1 != len(frame):
        return None
    committed = isolation == _READ_COMMITTED
    return Fetch(
        replica, wait, least, most, committed, session_id, session_epoch,
        by_topic_id=version > 12, reads=reads, forgotten=_NOTHING_FORGOTTEN,
    )  # fmt: skip


def _read_topics(
    frame: memoryview, position: int, topics: int, version: int
) -> tuple[list[Read], int]:
    part = _BY_VERSION[version].part
    unpack, step = part.unpack_from, part.size
    reads: list[Read] = []
    name, topic_id = "", _NO_ID
    for _ in range(_short(topics) - 1):
        if version > 12:
            topic_id = bytes(frame[position : position + 16])
            position += 16
        else:
            length = _short(frame[position])
            position += length
            name = str(frame[position - length + 1 : position], "utf-8")
        count = _short(frame[position])
        position += 1
        for _ in range(count - 1):
            index, epoch, offset, last_epoch, _start, most, tags = unpack(frame, position)
            if tags:
                raise _Unusual
            reads.append(Read(name, topic_id, index, offset, most, epoch, last_epoch))
            position += step
        if frame[position]:
            raise _Unusual
        position += 1
    return reads, position


def _short(count: int) -> int:
    """A count in one byte that is not null."""
    if 0 < count < 128:
        return count
    raise _Unusual


class _Unusual(Exception):
    """Something that is not read here."""


_NO_ABORTED = -1
_NO_PREFERRED = -1
_V4_PART = Struct(">ihqqii")
_V5_PART = Struct(">ihqqqii")
_V11_PART = Struct(">ihqqqiii")
_FLEXIBLE_PART = Struct(">ihqqqBi")
_HEAD = Struct(">iiii")
_SESSION_HEAD = Struct(">iiihii")
_FLEXIBLE_HEAD = Struct(">iixihiB")

_Codes = Mapping[int, ErrorCode]


def write_all(
    correlation_id: int, outcome: FetchOutcome, version: int, codes: _Codes
) -> Send | None:
    """The whole reply with its size; None if it has what is not written here.

    `codes`: what clients of this version get for a code.
    """
    topics = [list(group) for _, group in groupby(outcome.fetched, _place)]
    send = Send()
    error_code, session_id = outcome.error, outcome.session_id
    if version < 12:
        for topic in topics:
            _write_classic(send, topic, version, codes)
        size = len(send) + (12 if version < 7 else 18)
        if version < 7:
            head = _HEAD.pack(size, correlation_id, 0, len(topics))
        else:
            head = _SESSION_HEAD.pack(size, correlation_id, 0, error_code, session_id, len(topics))
    else:
        for topic in topics:
            if not _write_flexible(send, topic, version, codes):
                return None
        if len(topics) > 126:
            return None
        send.add(b"\0")
        head = _FLEXIBLE_HEAD.pack(
            len(send) + 16, correlation_id, 0, error_code, session_id, len(topics) + 1
        )
    send.put_before(head)
    return send


def _place(one: Fetched) -> tuple[str, bytes]:
    return one[:2]


def _write_classic(send: Send, topic: list[Fetched], version: int, codes: _Codes) -> None:
    name = topic[0].topic.encode()
    before = _INT16.pack(len(name)) + name + _INT32.pack(len(topic))
    for one in topic:
        _, _, index, error_code, high, stable, start, records, _, _ = one
        code: int = error_code
        if code:
            code = codes.get(code, code)
        size = 0 if records is None else records.size
        if version < 5:
            before += _V4_PART.pack(index, code, high, stable, _NO_ABORTED, size)
        elif version < 11:
            before += _V5_PART.pack(index, code, high, stable, start, _NO_ABORTED, size)
        else:
            before += _V11_PART.pack(
                index, code, high, stable, start, _NO_ABORTED, _NO_PREFERRED, size
            )
        if records is not None:
            send.add(before)
            send.add(records)
            before = b""
    send.add(before)


def _write_flexible(send: Send, topic: list[Fetched], version: int, codes: _Codes) -> bool:
    place = topic[0].topic_id
    if version < 13:
        name = topic[0].topic.encode()
        if len(name) > 126:
            return False
        place = bytes((len(name) + 1,)) + name
    before = place + varint(len(topic) + 1)
    for one in topic:
        _, _, index, error_code, high, stable, start, records, diverging, _ = one
        if diverging >= 0:
            return False
        code: int = error_code
        if code:
            code = codes.get(code, code)
        before += _FLEXIBLE_PART.pack(index, code, high, stable, start, 0, _NO_PREFERRED)
        if records is None:
            before += b"\1\0"
        else:
            send.add(before + varint(records.size + 1))
            send.add(records)
            before = b"\0"
    send.add(before + b"\0")
    return True
