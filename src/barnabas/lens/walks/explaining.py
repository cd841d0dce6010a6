"""Explain a frame in any protocol: its start, its message, its end."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from barnabas.lens.walks.fields import Contents, FieldReader, encoding_in, layout_in
from barnabas.lens.walks.guesses import Interpretation
from barnabas.lens.walks.part import MASK, MASKED, Explained, Fault, Part
from barnabas.lens.walks.walk import UnreadableBytes, Walk, counted_bytes


def walk_of(data: bytes, how: Interpretation) -> Walk:
    """Create a walk over a frame."""
    walk = Walk(data)
    walk.order = how.order
    return walk


def read_message(
    walk: Walk, how: Interpretation, declared: type, version: int, contents: Contents
) -> Any:
    """Read the message at the end of the frame, and report surplus bytes.

    Raises:
        UnreadableBytes: it does not parse to its end.
    """
    reader = FieldReader(walk, contents, tags=how.tags)
    encoding = how.encoding or encoding_in(declared, version)
    message = reader.struct(layout_in(declared, version, encoding), "")
    if walk.left > 0:
        text = f"{declared.__name__} ends here, {counted_bytes(walk.left)} more in the frame"
        walk.faults.append(Fault(walk.position, "end", text, fatal=True))
        walk.rest("", "behind the end of the message")
    return message


def finished(found: Explained, walk: Walk, broken: UnreadableBytes | None = None) -> Explained:
    """Return the result with all parts and faults; unread bytes are a part too."""
    if broken is not None:
        walk.faults.append(Fault(broken.position, broken.path, broken.text, fatal=True))
    walk.rest("", "not understood")
    if walk.faults and found.name in _SECRET:
        found = replace(found, client_id=None)
        walk.parts[:] = [_hidden(part) for part in walk.parts]
    faults = sorted(walk.faults, key=lambda fault: fault.position)
    return replace(
        found,
        data=_masked(found.data, walk.parts),
        parts=tuple(walk.parts),
        faults=tuple(faults),
    )


_SECRET = frozenset({"SaslAuthenticate", "SaslToken"})
"""Messages in which a password may be anywhere if they are malformed."""


def _hidden(part: Part) -> Part:
    """Hide a value that may be a secret; lengths are not."""
    if isinstance(part.value, str | bytes):
        return part._replace(kind=MASKED, value=MASK, meaning="not shown: it may be a secret")
    return part


def _masked(data: bytes, parts: Iterable[Part]) -> bytes:
    """The bytes, with stars for masked parts."""
    secret = [part for part in parts if part.kind == MASKED]
    if not secret:
        return data
    shown = bytearray(data)
    for part in secret:
        shown[part.start : part.end] = b"*" * (part.end - part.start)
    return bytes(shown)
