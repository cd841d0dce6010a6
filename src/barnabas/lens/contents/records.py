"""The records of a batch of magic 2, one by one. Source: KIP-98 "Record"."""

from barnabas.lens.contents.control import control_key, control_value
from barnabas.lens.walks.walk import Content, UnreadableBytes, Walk, counted_bytes

_PLAIN = "the numbers are not zigzag: 6 should be the byte 0x0c"


def read_all(walk: Walk, path: str, count: int, *, control: bool) -> None:
    """Read the decompressed records of a batch."""
    for index in range(max(count, 0)):
        where = f"{path}.records[{index}]"
        if walk.left <= 0:
            walk.fault(where, f"{count} records expected, the batch ends behind {index}")
            return
        start = walk.position
        try:
            _record(walk, where, control=control)
        except UnreadableBytes as broken:
            guess = _PLAIN if _is_plain(Walk(walk.data, start, walk.end), where) else ""
            walk.fault(broken.path, broken.text, broken.position, guess)
            walk.rest(where, "not understood")
            return
    if walk.left > 0:
        walk.fault(f"{path}.records", f"{counted_bytes(walk.left)} more than {count} records have")
        walk.rest(f"{path}.records", "not understood")


def _is_plain(walk: Walk, path: str) -> bool:
    """Whether a record parses with varints without zigzag."""
    try:
        _record(walk, path, control=False, zigzag=False)
    except UnreadableBytes:
        return False
    return not walk.faults


def _record(walk: Walk, path: str, *, control: bool, zigzag: bool = True) -> None:
    at = walk.position
    length = walk.signed(f"{path}.length", "The number of bytes in this record.", zigzag=zigzag)
    if not 0 <= length <= walk.left:
        text = f"a length from 0 to {walk.left} expected, not {length}"
        raise UnreadableBytes(at, f"{path}.length", text)
    inner = walk.within(length)
    inner.number("b", f"{path}.attributes", "Unused.")
    inner.signed(
        f"{path}.timestamp_delta", "Milliseconds from the base timestamp.", bits=64, zigzag=zigzag
    )
    inner.signed(f"{path}.offset_delta", "From the base offset.", zigzag=zigzag)
    _sized(inner, f"{path}.key", control_key if control else None, zigzag=zigzag)
    _sized(inner, f"{path}.value", control_value if control else None, zigzag=zigzag)
    headers = inner.signed(f"{path}.headers", "The number of headers.", zigzag=zigzag)
    if not 0 <= headers <= inner.left:
        raise UnreadableBytes(
            inner.parts[-1].start, f"{path}.headers", f"a count cannot be {headers}"
        )
    for index in range(headers):
        _sized(inner, f"{path}.headers[{index}].key", _header_key, zigzag=zigzag)
        _sized(inner, f"{path}.headers[{index}].value", None, zigzag=zigzag)
    if inner.left:
        text = f"the record should end here; its length leaves {counted_bytes(inner.left)} more"
        raise UnreadableBytes(inner.position, path, text)
    walk.position = inner.position


def _header_key(walk: Walk, path: str) -> None:
    walk.text(walk.left, path)


def _sized(walk: Walk, path: str, content: Content | None, *, zigzag: bool) -> None:
    """Bytes after their length; -1 is null."""
    at = walk.position
    length = walk.signed(path, "Length; -1 is null.", zigzag=zigzag)
    walk.parts[-1] = walk.parts[-1]._replace(kind="length, varint")
    if length == -1:
        walk.parts[-1] = walk.parts[-1]._replace(value=None)
        return
    if not 0 <= length <= walk.left:
        text = f"a length from -1 to {walk.left} expected, not {length}"
        raise UnreadableBytes(at, path, text)
    if content is None:
        walk.bytes(length, path)
        return
    inner = walk.within(length)
    content(inner, path)
    walk.leave(inner, path, "not understood")
