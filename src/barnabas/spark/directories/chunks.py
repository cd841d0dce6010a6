"""Read whole batches from a segment's file, a few megabytes at a time. Decodes no record.

Messages of Kafka 0.7 are converted to batches of today. A chunk is valid until the next one: they share a
buffer.
"""

from collections.abc import Iterator
from typing import NamedTuple

from barnabas.errors import CorruptRecord, DecodeError
from barnabas.log.inspection.segments import SegmentFault, examine
from barnabas.ports import File
from barnabas.records.batches.batch import MAGIC_AT, PREFIX_SIZE, SMALLEST_ENTRY, walk
from barnabas.records.message_rows import entries
from barnabas.records.messages07.from_message07 import batches_of
from barnabas.spark.directories.errors import UnreadableLog, damaged
from barnabas.spark.directories.segment_range import SegmentRange

_LENGTH_AT = 8
_LENGTH_SIZE = 4
_ANY = -(2**63)


class Chunk(NamedTuple):
    """Batches, their position in the file, and the offset and the position after them."""

    data: memoryview
    position: int
    next_offset: int
    end: int


def chunks(file: File, task: SegmentRange, size: int) -> Iterator[Chunk]:
    """The batches of a task, about `size` bytes at a time or one that is larger.

    Raises:
        UnreadableLog: the file contains something other than whole batches, or became shorter.
    """
    position, lowest = task.position, task.base_offset
    buffer = bytearray(min(size, max(task.limit - position, 0)))
    while position < task.limit:
        view = memoryview(buffer)[: min(len(buffer), task.limit - position)]
        if file.read_into(position, view) < len(view):
            raise UnreadableLog(
                f"{task.path} has {file.size()} bytes, and had {task.limit} when the query was "
                "planned: plan it again with load()"
            )
        if task.byte_positions:
            found = _messages(view, task, position)
        else:
            found = _batches(view, task, position, lowest)
        if found.end > position:
            yield found
            position, lowest = found.end, found.next_offset
            if found.next_offset >= task.end:
                return
            continue
        wanted = _wanted(view, bytes_counted=task.byte_positions)
        if not len(view) < wanted <= task.limit - position:
            left = task.limit - position
            raise damaged(task.path, position, f"one of {wanted} bytes, of which {left} are there")
        buffer = bytearray(wanted)


def damage(task: SegmentRange, chunk: Chunk, error: Exception) -> UnreadableLog:
    """The error for a chunk that cannot be decoded, with the position in the file."""
    if not task.byte_positions:
        for each in examine(chunk.data, _ANY):
            if isinstance(each, SegmentFault):
                return damaged(task.path, chunk.position + each.position, each.text)
            if each.faults:
                at = chunk.position + each.header.position
                return damaged(task.path, at, f"offset {each.first_offset}: {each.faults[0]}")
    return damaged(task.path, chunk.position, str(error))


def _batches(view: memoryview, task: SegmentRange, position: int, lowest: int) -> Chunk:
    """The whole batches in a view. No CRC covers offsets: check that they increase and fit the file."""
    used = 0
    try:
        for header in entries(view) if view[MAGIC_AT:] and view[MAGIC_AT] < 2 else walk(view):
            if not lowest <= header.base_offset <= header.last_offset < task.behind:
                raise damaged(
                    task.path, position + header.position,
                    f"it has the offsets {header.base_offset} to {header.last_offset}, where "
                    f"{lowest} to {task.behind - 1} can be",
                )  # fmt: skip
            lowest, used = header.next_offset, header.end
    except (CorruptRecord, DecodeError) as error:
        raise damage(task, Chunk(view, position, -1, position), error) from None
    return Chunk(view[:used], position, lowest, position + used)


def _messages(view: memoryview, task: SegmentRange, position: int) -> Chunk:
    try:
        made = batches_of(view, task.base_offset + position, task.start)
    except CorruptRecord as error:
        raise damaged(task.path, position, str(error)) from None
    end = made.next_offset - task.base_offset
    return Chunk(memoryview(made.data), position, made.next_offset, end)


def _wanted(view: memoryview, *, bytes_counted: bool) -> int:
    """The number of bytes that the first batch needs."""
    if bytes_counted:
        return _LENGTH_SIZE + int.from_bytes(view[:_LENGTH_SIZE], "big")
    if len(view) < SMALLEST_ENTRY:
        return SMALLEST_ENTRY
    return PREFIX_SIZE + int.from_bytes(view[_LENGTH_AT:PREFIX_SIZE], "big")
