"""BlockReader: reads the messages of one source partition in order, in blocks of about a megabyte.

It decides about unreadable messages: stop there, or leave them out and report them.
"""

from struct import Struct
from typing import NamedTuple

from barnabas.client.driver07.assignment import BrokerPartition
from barnabas.migration.errors import MigrationStopped
from barnabas.migration.source import MigrationSource
from barnabas.records.messages07.flat_set07 import FlatSet, flatten
from barnabas.records.messages07.message07 import FetchTooSmall, InvalidMessage

_LENGTH = Struct(">i")
_SMALLEST_LENGTH = 5
_LARGEST = 1 << 28
"""The maximum size of a message, in bytes; a larger length is damaged."""
BLOCK_BYTES = 1 << 20


class Block(NamedTuple):
    """The source bytes [start, end): messages, or the reason why they are left out.

    If `start` equals `end`, the reason says why the rest is not copied yet.
    """

    start: int
    end: int
    messages: FlatSet
    left_out: str = ""


class BlockReader:
    """Block boundaries depend on where reading starts; their combined contents do not."""

    def __init__(
        self,
        source: MigrationSource,
        place: BrokerPartition,
        *,
        skip: bool,
        size: int = BLOCK_BYTES,
    ) -> None:
        """`skip`: leave out what cannot be read. `size`: the size of a block in source bytes."""
        self._source = source
        self._place = place
        self._skip = skip
        self._size = size

    def block(self, at: int, until: int) -> Block:
        """Return the block that starts at `at`, before `until`; a compressed message is never split.

        Unreadable bytes up to `until` are never left out: a killed broker may have written part of
        a message. It truncates that and continues when it restarts.

        Raises:
            MigrationStopped: a message is unreadable, and must not be left out.
            KafkaError: the source is unavailable.
        """
        size = self._size
        while True:
            part = self._source.read(self._place, at, min(size, until - at))
            if not part:
                return self._left_out(at, self._source.next_start(self._place, at), _NOTHING)
            try:
                found = flatten(part, enough=self._size)
            except FetchTooSmall:
                if len(part) < min(size, until - at) or size >= min(until - at, _LARGEST):
                    end = min(until, self._source.next_start(self._place, at))
                    return self._damage(at, end, until, "a message is truncated")
                size *= 4
            except InvalidMessage as error:
                return self._damage(at, self._behind(part, at, until), until, str(error))
            else:
                return Block(at, at + found.end, found)

    def count_between(self, start: int, end: int) -> int:
        """The number of messages that start at or after `start` and end at or before `end`."""
        count = 0
        while start < end:
            part = self._source.read(self._place, start, min(_LARGEST, end - start))
            try:
                found = flatten(part, enough=self._size)
            except FetchTooSmall:
                break
            if not found.end:
                break
            count += found.size
            start += found.end
        return count

    def _damage(self, start: int, end: int, until: int, why: str) -> Block:
        if end < until:
            return self._left_out(start, end, why)
        if not self._skip:
            raise MigrationStopped(
                f"{self._place} of the source at byte {start}: {why}, and nothing valid follows; "
                "if its broker was killed, it repairs that when it starts. --skip-corrupt "
                "continues without, and the next run tries again"
            )
        return Block(start, start, _NO_MESSAGES, why)

    def _left_out(self, start: int, end: int, why: str) -> Block:
        if not self._skip:
            raise MigrationStopped(
                f"{self._place} of the source at byte {start}: {why}; --skip-corrupt leaves out "
                f"what cannot be read, here the bytes up to {end}"
            )
        return Block(start, end, _NO_MESSAGES, why)

    def _behind(self, part: memoryview, at: int, until: int) -> int:
        """Where to continue after a damaged message: at the next valid one, or at the next segment."""
        segment_end = min(until, self._source.next_start(self._place, at))
        length: int = _LENGTH.unpack_from(part)[0]
        following = at + _LENGTH.size + length
        if length < _SMALLEST_LENGTH or following > segment_end:
            return segment_end
        if following < segment_end:
            rest = self._source.read(self._place, following, segment_end - following)
            try:
                flatten(rest[: self._size], enough=1)
            except InvalidMessage:
                return segment_end
            except FetchTooSmall:
                return following
        return following


_NO_MESSAGES = FlatSet(memoryview(b""), 0, 0)
_NOTHING = "there is nothing: it was deleted meanwhile, or a file is missing"
