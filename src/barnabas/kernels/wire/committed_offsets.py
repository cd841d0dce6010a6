# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Encode records of committed offsets, and decode them into a coordinator's offsets.

Records in a form that no current release writes are left to the generated codecs. Every length is
compared with what remains before it is used. Compiled, a record takes about 0.4 us each way;
uncompiled 5.
Source: Kafka's OffsetCommitKey.json, OffsetCommitValue.json.
"""

try:
    import cython
except ImportError:
    from barnabas.kernels import shadow as cython

if cython.compiled:
    from cython.cimports.barnabas.kernels.buffers.big_endian import (
        int16_of,
        int32_of,
        int64_of,
        put_of,
    )
else:
    from barnabas.kernels.buffers.big_endian import int16_of, int32_of, int64_of, put_of

_NO_ID = cython.declare(bytes, bytes(16))
_KEY_KIND = cython.declare(cython.int, 1)
_INDEX = cython.declare(cython.Py_ssize_t, 4)
_ID_FOLLOWS = cython.declare(bytes, b"\0\x10")
_UUID = cython.declare(cython.Py_ssize_t, 16)
_new = cython.declare(object, tuple.__new__)


@cython.cfunc
def _names(key: bytes) -> object:
    """The group and topic at the start of a key, which ends after them; None for another key."""
    size: cython.Py_ssize_t = len(key)
    if size < 4 or int16_of(key, 0) != _KEY_KIND:
        return None
    length: cython.Py_ssize_t = int16_of(key, 2)
    at: cython.Py_ssize_t = 4
    if length < 0 or length > size - at - 2:
        return None
    group: object = key[at : at + length].decode("utf-8")
    at += length
    length = int16_of(key, at)
    at += 2
    if length < 0 or length != size - at:
        return None
    return group, key[at:].decode("utf-8")


@cython.cfunc
def _committed(value: bytes, kind: object, before: bytes) -> object:
    """Decode a value as `kind`; None if it is of an old version or has tagged fields.

    `before` is the topic id of the previous value, for reuse.
    """
    size: cython.Py_ssize_t = len(value)
    if size < 16:
        return None
    version: cython.int = int16_of(value, 0)
    length: cython.Py_ssize_t
    at: cython.Py_ssize_t
    if version == 4:
        length = value[14] - 1
        at = 15
        if length < 0 or length > 126 or size - at < length + 9:
            return None
    elif version == 3:
        length = int16_of(value, 14)
        at = 16
        if length < 0 or size - at != length + 8:
            return None
    else:
        return None
    metadata: object = ""
    if length:
        metadata = value[at : at + length].decode("utf-8")
    at += length
    topic_id: bytes = _NO_ID
    if version == 4:
        if value[at + 8]:
            # One tagged field: the topic id.
            if (
                size != at + 11 + _UUID
                or value[at + 8] != 1
                or value[at + 9]
                or value[at + 10] != 16
            ):
                return None
            topic_id = value[at + 11 :]
            if topic_id == before:
                topic_id = before
        elif size != at + 9:
            return None
    return _new(
        kind, (int64_of(value, 2), int32_of(value, 10), metadata, int64_of(value, at), -1, topic_id)
    )


def replay(
    keys: bytes,
    key_ends: cython.const[cython.int][::1],
    values: bytes,
    value_ends: cython.const[cython.int][::1],
    has_value: object,
    first: cython.Py_ssize_t,
    groups: dict,
    names: dict,
    position: object,
    committed: object,
) -> cython.Py_ssize_t:
    """Take in the records from row `first` on; gives the row of the first that is not for here.

    Row i has the key keys[key_ends[i]:key_ends[i + 1]], and a value likewise where bit i of
    `has_value` is set, or that is None. A null key is empty. `groups` is what is kept: by group, by
    `position(topic, index)`, a `committed` of offset, leader epoch, metadata, time, expiry (-1) and
    topic id. `names` remembers groups and topics between calls.
    """
    rows: cython.Py_ssize_t = len(key_ends) - 1
    row: cython.Py_ssize_t = first
    sparse: cython.bint = has_value is not None
    bits: bytes = has_value if sparse else b""
    start: cython.Py_ssize_t
    end: cython.Py_ssize_t
    head: bytes
    last: bytes = b""
    topic: object = None
    group: object = None
    pair: object
    place: object
    offset: object
    topic_id: bytes = _NO_ID
    if rows < 0 or len(value_ends) <= rows or (sparse and 8 * len(bits) < rows):
        return first
    try:
        while row < rows:
            start = key_ends[row]
            end = key_ends[row + 1] - _INDEX
            if end < start or start < 0 or end > len(keys) - _INDEX:
                return row
            head = keys[start:end]
            if group is None or head != last:
                pair = names.get(head)
                if pair is None:
                    pair = _names(head)
                    if pair is None:
                        return row
                    names[head] = pair
                group, topic = pair
                last = head
            place = _new(position, (topic, int32_of(keys, end)))
            if sparse and not bits[row >> 3] >> (row & 7) & 1:
                _forget(groups, group, place)
            else:
                offset = _committed(
                    values[value_ends[row] : value_ends[row + 1]], committed, topic_id
                )
                if offset is None:
                    return row
                topic_id = offset[5]
                if group not in groups:
                    groups[group] = {}
                groups[group][place] = offset
            row += 1
    except UnicodeDecodeError:
        return row
    return row


def replay_one(
    key: bytes, value: object, groups: dict, position: object, committed: object
) -> cython.bint:
    """As `replay` of one record, whose value may be None; False if it is not for here."""
    end: cython.Py_ssize_t = len(key) - _INDEX
    offset: object
    try:
        if end < 0:
            return False
        pair: object = _names(key[:end])
        if pair is None:
            return False
        group, topic = pair
        place: object = _new(position, (topic, int32_of(key, end)))
        if value is None:
            _forget(groups, group, place)
            return True
        offset = _committed(value, committed, _NO_ID)
    except UnicodeDecodeError:
        return False
    if offset is None:
        return False
    if group not in groups:
        groups[group] = {}
    groups[group][place] = offset
    return True


def key_of(group: str, topic: str, index: cython.int) -> object:
    """The key of a group's offset for a partition; None if a name is too long for it."""
    group_name: bytes = group.encode()
    name: bytes = topic.encode()
    first: cython.Py_ssize_t = len(group_name)
    second: cython.Py_ssize_t = len(name)
    if first > 32767 or second > 32767:
        return None
    head: bytearray = bytearray(4)
    between: bytearray = bytearray(2)
    tail: bytearray = bytearray(4)
    put_of(head, 0, _KEY_KIND, 2)
    put_of(head, 2, first, 2)
    put_of(between, 0, second, 2)
    put_of(tail, 0, index, 4)
    return b"".join((head, group_name, between, name, tail))


@cython.ccall
def value_of(
    offset: cython.longlong,
    leader_epoch: cython.longlong,
    metadata: str,
    timestamp: cython.longlong,
    topic_id: bytes,
) -> object:
    """The value of today's version, 4; None if the text is so long that its length takes two bytes."""
    if not metadata:
        # As most often: the two parts are one.
        whole: bytearray = bytearray(24)
        put_of(whole, 0, 4, 2)
        put_of(whole, 2, offset, 8)
        put_of(whole, 10, leader_epoch, 4)
        put_of(whole, 14, 1, 1)
        put_of(whole, 15, timestamp, 8)
        if topic_id == _NO_ID:
            return bytes(whole)
        put_of(whole, 23, 1, 1)
        return b"".join((whole, _ID_FOLLOWS, topic_id))
    text: bytes = metadata.encode()
    length: cython.Py_ssize_t = len(text)
    if length > 126:
        return None
    head: bytearray = bytearray(15)
    tail: bytearray = bytearray(9)
    put_of(head, 0, 4, 2)
    put_of(head, 2, offset, 8)
    put_of(head, 10, leader_epoch, 4)
    put_of(head, 14, length + 1, 1)
    put_of(tail, 0, timestamp, 8)
    if topic_id == _NO_ID:
        return b"".join((head, text, tail))
    put_of(tail, 8, 1, 1)
    return b"".join((head, text, tail, _ID_FOLLOWS, topic_id))


def record_of(group: str, position: object, committed: object, kind: object) -> object:
    """A commit as `kind(key, value)` of today's versions; None if it has what is not listed here.

    `position` and `committed` are as `replay` makes them.
    """
    if not (isinstance(position, tuple) and isinstance(committed, tuple)):
        raise TypeError("positions and offsets are named tuples")
    place: tuple = cython.cast(tuple, position)
    offset: tuple = cython.cast(tuple, committed)
    if len(place) != 2 or len(offset) != 6:
        raise TypeError("a position has two fields, an offset has six")
    if offset[4] != -1:
        return None
    value: object = value_of(offset[0], offset[1], offset[2], offset[3], offset[5])
    key: object = key_of(group, place[0], place[1])
    if key is None or value is None:
        return None
    return _new(kind, (key, value))


@cython.cfunc
def _forget(groups: dict, group: object, place: object) -> object:
    """Remove an offset, and its group with the last one."""
    offsets: object = groups.get(group)
    if offsets is not None:
        offsets.pop(place, None)
        if not offsets:
            del groups[group]
    return None
