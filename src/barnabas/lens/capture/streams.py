"""Assemble TCP streams from segments: in order, without retransmissions, by connection.

The client is the side that sent SYN. If a capture starts later, it is the first side whose bytes
start like a request, otherwise the side with the higher port.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from barnabas.lens.capture.segments import ACK, SYN, TcpSegment

_HALF = 1 << 31
_WHOLE = 1 << 32
_MOST_WAITING = 1000


class StreamChunk(NamedTuple):
    """Bytes of one side of a connection, following its chunk before.

    `connection` counts from 1, `client` is its address. `lost` bytes between the two chunks are
    missing in the capture.
    """

    time_ns: int
    connection: int
    client: str
    from_client: bool
    data: bytes
    lost: int = 0


class _Side:
    """One direction: the next sequence number, and segments that came early."""

    def __init__(self, first: int) -> None:
        self._next = first
        self._early: dict[int, bytes] = {}

    def take(self, sequence: int, data: bytes) -> Iterator[tuple[bytes, int]]:
        """Return the bytes that are ready, and how many bytes are missing before them."""
        self._early[sequence] = max(self._early.get(sequence, b""), data, key=len)
        yield from self._ready()
        if len(self._early) > _MOST_WAITING:
            yield from self.give_up()

    def give_up(self) -> Iterator[tuple[bytes, int]]:
        """Return early segments although something before them never arrived."""
        while self._early:
            ahead = min((each - self._next) % _WHOLE for each in self._early)
            self._next = (self._next + ahead) % _WHOLE
            first, *others = self._ready()
            yield first[0], ahead
            yield from others

    def _ready(self) -> list[tuple[bytes, int]]:
        """What follows without a gap; parts of it may be retransmissions."""
        found: list[tuple[bytes, int]] = []
        moved = True
        while moved:
            moved = False
            for sequence in list(self._early):
                behind = (self._next - sequence) % _WHOLE
                if behind >= _HALF:
                    continue
                moved = True
                if data := self._early.pop(sequence)[behind:]:
                    self._next = (self._next + len(data)) % _WHOLE
                    found.append((data, 0))
        return found


class Streams:
    """All connections of a capture."""

    def __init__(self, opens: Callable[[bytes], bool]) -> None:
        """`opens` tests whether bytes start like a request with its size."""
        self._opens = opens
        self._clients: dict[frozenset[str], str] = {}
        self._numbers: dict[frozenset[str], int] = {}
        self._connections = 0
        self._sides: dict[tuple[str, str], _Side] = {}

    def chunks(self, segments: Iterable[TcpSegment]) -> Iterator[StreamChunk]:
        """Yield the chunks, in order of arrival."""
        last = 0
        for segment in segments:
            last = segment.time_ns
            key = (segment.source, segment.target)
            if segment.flags & SYN:
                self._opened(segment)
            elif segment.data:
                if key not in self._sides:
                    self._sides[key] = _Side(segment.sequence)
                    self._note_client(segment)
                for data, lost in self._sides[key].take(segment.sequence, segment.data):
                    yield self._chunk(key, last, data, lost)
        for key, side in self._sides.items():
            for data, lost in side.give_up():
                yield self._chunk(key, last, data, lost)

    def _opened(self, segment: TcpSegment) -> None:
        """Handle a SYN: the side's stream starts after it; the first one is the client's."""
        self._sides[segment.source, segment.target] = _Side((segment.sequence + 1) % _WHOLE)
        if not segment.flags & ACK:
            self._begin(segment, segment.source)

    def _note_client(self, segment: TcpSegment) -> None:
        """Determine the client of a connection that started before the capture."""
        if frozenset((segment.source, segment.target)) in self._clients:
            return
        if self._opens(segment.data):
            self._begin(segment, segment.source)
        else:
            self._begin(segment, max(segment.source, segment.target, key=_port))

    def _begin(self, segment: TcpSegment, client: str) -> None:
        pair = frozenset((segment.source, segment.target))
        self._clients[pair] = client
        self._connections += 1
        self._numbers[pair] = self._connections

    def _chunk(self, key: tuple[str, str], time_ns: int, data: bytes, lost: int) -> StreamChunk:
        source, target = key
        pair = frozenset(key)
        from_client = self._clients[pair] == source
        client = source if from_client else target
        return StreamChunk(time_ns, self._numbers[pair], client, from_client, data, lost)


def _port(address: str) -> int:
    return int(address.rpartition(":")[2])
