"""The file of an embedded registry: a header, then frames; each is one atomic change.

Copies of it hold the same bytes at the same places, so that what is damaged in one of them can be
taken from another.
"""

import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from barnabas.errors import StorageError

MARK = b"barnabas registry 1\n"
_FRAME = struct.Struct(">II")  # bytes of the body, CRC-32 of the body
_PUT = struct.Struct(">BHqI")  # 1, bytes of the path, version, bytes of the data
_DROP = struct.Struct(">BH")  # 0, bytes of the path

GENERATION = ""
"""The path, of no node, whose data number the rewritings of the journal and the starts on several copies."""

Node = tuple[bytes, int]
Change = tuple[str, Node | None]
"""A path with its new data and version, or with None: it and all below it are gone."""


class Journal(NamedTuple):
    """The frames of a file. `frames` are the whole ones, by their places.

    `holes` are damaged bytes before whole frames, or more than one torn change. Other bytes after
    `end` are one torn frame: a change that never returned.
    """

    path: str
    data: bytes
    frames: dict[int, bytes]
    holes: Sequence[tuple[int, int]]
    generation: int

    @property
    def is_of_registry(self) -> bool:
        """Whether it has a frame, or at least the mark of a registry."""
        return bool(self.frames) or self.data.startswith(MARK)

    @property
    def end(self) -> int:
        """Where the last whole frame ends."""
        position = max(self.frames, default=-1)
        return len(MARK) if position < 0 else position + len(self.frames[position])

    @property
    def lost_end(self) -> bool:
        """Whether there were changes after `end`, other than one torn change."""
        return self.is_of_registry and bool(self.holes) and self.holes[-1][1] == len(self.data)

    @property
    def whole(self) -> bytes:
        """The file without what was torn at its end."""
        return self.data[: self.end]

    def changes(self) -> Iterator[Change]:
        """All changes of the frames in their order, but for generations.

        Raises:
            StorageError: a frame holds something else, though its checksum is right.
        """
        for position in sorted(self.frames):
            try:
                for change in changes_in(self.frames[position]):
                    if change[0] != GENERATION:
                        yield change
            except (struct.error, UnicodeDecodeError) as error:
                what = f"{self.path} is damaged at byte {position}: the change there cannot be read"
                raise StorageError(what) from error


def read_journal(path: str, data: bytes) -> Journal:
    """Read the frames of a file, damaged or not."""
    frames: dict[int, bytes] = {}
    holes = []
    generation = 0
    position = end = len(MARK) if data.startswith(MARK) else 0
    while position < len(data):
        frame = _frame_at(data, position)
        if frame is None:
            position += 1
            continue
        if position > end:
            holes.append((end, position))
        frames[position] = frame
        generation = max(generation, _generation_in(frame))
        position = end = position + len(frame)
    if not frames and not data.startswith(MARK):
        holes.append((0, len(data)))
    elif not _may_be_torn(data[end:]):
        holes.append((end, len(data)))
    return Journal(path, data, frames, holes, generation)


def merged(journals: Sequence[Journal]) -> Journal:
    """The newest of them, with what it lacks taken from copies of the same generation."""
    newest = max(
        journals,
        key=lambda each: (each.is_of_registry, each.generation, each.end, not each.lost_end),
    )
    frames = dict(newest.frames)
    if newest.holes:
        for copy in journals:
            if copy.generation == newest.generation and _agree(copy, newest):
                frames |= copy.frames
    data, holes, position = bytearray(MARK), [], len(MARK)
    for start in sorted(frames):
        if start > position:
            holes.append((position, start))
        data += bytes(start - len(data)) + frames[start]
        position = len(data)
    if newest.lost_end and max(frames, default=-1) < newest.end:
        holes.append((newest.end, len(newest.data)))
    return Journal(newest.path, bytes(data), frames, holes, newest.generation)


def _agree(one: Journal, other: Journal) -> bool:
    """Whether the frames that are whole in both are equal."""
    return all(frame == other.frames.get(start, frame) for start, frame in one.frames.items())


def frame_of(changes: Iterable[Change]) -> bytes:
    """The bytes of a change, which may be of several nodes."""
    parts = []
    for path, node in changes:
        name = path.encode()
        if node is None:
            parts += [_DROP.pack(0, len(name)), name]
        else:
            data, version = node
            parts += [_PUT.pack(1, len(name), version, len(data)), name, data]
    body = b"".join(parts)
    return _FRAME.pack(len(body), zlib.crc32(body)) + body


def generation_frame(generation: int) -> bytes:
    """The bytes that give a generation its number."""
    return frame_of([(GENERATION, (b"%d" % generation, 0))])


def live_size(path: str, node: Node) -> int:
    """The bytes that a node has in a journal without history."""
    return _FRAME.size + _PUT.size + len(path) + len(node[0])


_LARGEST_CHANGE = 64 << 20
"""Bytes that no change has: a topic with all partitions that can be made at once has less."""


def _may_be_torn(tail: bytes) -> bool:
    """Whether the bytes after the last whole frame may be a part of a frame, followed by zeros."""
    written = tail.rstrip(b"\0")
    if len(written) <= _FRAME.size or not any(written[: _FRAME.size]):
        return True
    size, _checksum = _FRAME.unpack_from(written)
    body = written[_FRAME.size :]
    if len(body) > size or size > _LARGEST_CHANGE or body[0] > 1:
        return False
    place = _PUT.size if body[0] else _DROP.size
    is_generation = not any(body[1:3])
    return is_generation or len(body) <= place or body[place : place + 1] == b"/"


def _frame_at(data: bytes, position: int) -> bytes | None:
    """The frame there, or None where it is not whole."""
    start = position + _FRAME.size
    if start > len(data):
        return None
    size, checksum = _FRAME.unpack_from(data, position)
    if not size or start + size > len(data) or zlib.crc32(data[start : start + size]) != checksum:
        return None
    return data[position : start + size]


def changes_in(frame: bytes) -> Iterator[Change]:
    """The changes of one frame."""
    position = _FRAME.size
    while position < len(frame):
        if frame[position]:
            _, name_size, version, data_size = _PUT.unpack_from(frame, position)
            position += _PUT.size
            name = frame[position : position + name_size].decode()
            position += name_size
            yield name, (frame[position : position + data_size], version)
            position += data_size
        else:
            _, name_size = _DROP.unpack_from(frame, position)
            position += _DROP.size
            yield frame[position : position + name_size].decode(), None
            position += name_size


_GENERATION_BODY = _PUT.pack(1, 0, 0, 0)[:-4]


def _generation_in(frame: bytes) -> int:
    if not frame.startswith(_GENERATION_BODY, _FRAME.size):
        return 0
    number = frame[_FRAME.size + _PUT.size :]
    return int(number) if number.isdigit() else 0
