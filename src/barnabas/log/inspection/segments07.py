"""Inspect segments of Kafka 0.7 and Jafka: their messages, and damage.

Nothing is opened, repaired or renamed. Source: seed 000 "Message"; Kafka 0.7.2's DumpLogSegments.
"""

from collections.abc import Iterator
from typing import NamedTuple

from barnabas.log.inspection.segments import SegmentFault
from barnabas.records.messages07.flat_set07 import flatten
from barnabas.records.messages07.message07 import (
    FetchTooSmall,
    InvalidMessage,
    UnpackAllowance,
    entries,
    unpack,
)

_PART_BYTES = 4 << 20


class InspectedMessage(NamedTuple):
    """A sound message, the bytes [position, end) of its segment; a compressed one has several payloads."""

    position: int
    end: int
    magic: int
    codec: int
    payloads: list[bytes]


def inspected_messages(data: memoryview) -> Iterator[InspectedMessage | SegmentFault]:
    """Yield the messages as they lie in the segment. A Fault ends it, as in `examine_messages`."""
    position = 0
    try:
        for entry in entries(data):
            position = entry.start
            held = data[entry.payload : entry.end]
            payloads = [bytes(held)]
            if entry.codec:
                payloads = [one.payload for one in unpack(entry.codec, held, UnpackAllowance())]
            yield InspectedMessage(position, entry.end, entry.magic, entry.codec, payloads)
            position = entry.end
    except InvalidMessage as error:
        yield SegmentFault(position, str(error).removeprefix(f"message at byte {position}: "))
        return
    if position < len(data):
        yield SegmentFault(
            position, f"{len(data) - position} bytes at the end are no whole message"
        )


def examine_messages(data: memoryview) -> Iterator[int | SegmentFault]:
    """Yield the numbers of sound messages, part by part; compressed ones count by their contents.

    A Fault ends it: where the next message would begin is not known.
    """
    position, size = 0, _PART_BYTES
    while position < len(data):
        part = data[position : position + size]
        try:
            found = flatten(part, enough=_PART_BYTES)
        except FetchTooSmall:
            if len(part) == size:
                size *= 4
                continue
            yield SegmentFault(position, f"{len(part)} bytes at the end are no whole message")
            return
        except InvalidMessage as error:
            yield SegmentFault(position, str(error).removeprefix("message at byte 0: "))
            return
        yield found.size
        position, size = position + found.end, _PART_BYTES
