"""BlockReader: the messages of one partition of the source in pieces of about a megabyte, in order.

Decides what becomes of what cannot be read: it stops there, or leaves it out and says so.
"""

from struct import Struct
from typing import NamedTuple

from barnabas.client.driver07.assignment import BrokerPartition
from barnabas.migration.errors import MigrationStopped
from barnabas.migration.source import Source
from barnabas.records.messages07.flat_set07 import FlatSet, flatten
from barnabas.records.messages07.message07 import FetchTooSmall, InvalidMessage

_LENGTH = Struct(">i")
_SMALLEST_LENGTH = 5
_LARGEST = 1 << 28
"""More than any message may have; the length of one that is larger is damaged."""
BLOCK_BYTES = 1 << 20


class Block(NamedTuple):
    """The bytes [start, end) of the source: messages, or why they are left out.

    None of them, `start` being `end`, are why all that follows is not copied yet.
    """

    start: int
    end: int
    messages: FlatSet
    left_out: str = ""


class BlockReader:
    """Where blocks begin depends on where reading begins; what is in them all together does not."""

    def __init__(
        self, source: Source, place: BrokerPartition, *, skip: bool, size: int = BLOCK_BYTES
    ) -> None:
        """`skip`: leave out what cannot be read. `size`: of a block, in bytes of the source."""
        self._source = source
        self._place = place
        self._skip = skip
        self._size = size

    def block(self, at: int, until: int) -> Block:
        """What begins at `at`, which is before `until`; a compressed message is there as a whole.

        What cannot be read, up to `until`, is never left out: a broker that was killed has written the
        beginning of a message, and cuts that off and writes on when it is started again.

        Raises:
            MigrationStopped: it cannot be read, and is not to be left out.
            KafkaError: the source is not to be had.
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
                    return self._damage(at, end, until, "a message is cut off")
                size *= 4
            except InvalidMessage as error:
                return self._damage(at, self._behind(part, at, until), until, str(error))
            else:
                return Block(at, at + found.end, found)

    def count_between(self, start: int, end: int) -> int:
        """How many messages end at `end` or before, of those that begin at `start` or behind."""
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
                f"{self._place} of the source at byte {start}: {why}, and nothing sound follows; has "
                "its broker been killed, it mends that when it starts. --skip-corrupt goes on "
                "without, and the next run looks again"
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
        """Where to go on behind a damaged message: the next one, or else the next segment."""
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
