"""SimChannel: the Channel port in memory: short reads and writes at any byte, order kept."""

from collections.abc import Callable, Mapping, Sequence
from typing import Self

from barnabas.errors import ConnectionFailed
from barnabas.ports import File
from barnabas.types import Buffer
from sim.world.entropy import SeededEntropy
from sim.world.process import Process

_WINDOW = 64 * 1024
"""Bytes on their way or not yet received, above which nothing can be sent."""
_SHORT = 0.15
"""How often a read or a write takes less than it could."""

_FASTEST, _SLOWEST = 0.0001, 0.004
"""Seconds that bytes take."""


class Link:
    """Bytes arrive in their order, whole or not at all once it is cut."""

    def __init__(
        self,
        entropy: SeededEntropy,
        on_gone: Callable[[], object],
        cuts: Mapping[tuple[str, str], float],
    ) -> None:
        """`cuts`: from a host to another one, until when nothing arrives."""
        self.entropy = entropy
        self._cuts = cuts
        self.ends: tuple[SimChannel, ...] = ()
        self.is_cut = False
        self.swallows_answers = False
        self.clogged_until = 0.0
        self._on_gone = on_gone

    def delay(self, now: float, to: "SimChannel") -> float:
        """Seconds that the next bytes take."""
        until = self.clogged_until
        if self._cuts:
            far = self.ends[0] if to is self.ends[1] else self.ends[1]
            until = max(until, self._cuts.get((far.process.host, to.process.host), 0.0))
        return max(until - now, 0.0) + self.entropy.between(_FASTEST, _SLOWEST)

    def cut(self) -> None:
        """Break it: what is on its way is lost, and each end finds out in its own time."""
        if self.is_cut:
            return
        self.is_cut = True
        self._on_gone()
        for end in self.ends:
            end.lose(self.entropy.between(0.0, 0.5))

    def forget(self) -> None:
        """Both ends are closed."""
        self._on_gone()


class SimChannel:
    """One end of a link. `other` is the other one."""

    def __init__(self, process: Process, link: Link, peer: str) -> None:
        self.process = process
        self.other: Self | None = None
        self._link = link
        self._peer = peer
        self._arrived = bytearray()
        self._coming = 0
        self._last_arrival = 0.0
        self._at_end = False
        self._is_broken = False
        self.is_closed = False
        self._reader: Callable[[], None] | None = None
        self._writer: Callable[[], None] | None = None
        self._poked = False
        process.on_death[self] = self.close

    @property
    def peer(self) -> str:
        """`host:port` of the other side."""
        return self._peer

    def receive_into(self, target: memoryview) -> int:
        """Bytes received; 0 is the end of the stream, -1 means nothing is there now."""
        self.process.check()
        if self._is_broken:
            raise ConnectionFailed(f"receiving from {self._peer}: reset")
        if not self._arrived:
            return 0 if self._at_end else -1
        count = self._some(min(len(target), len(self._arrived)))
        target[:count] = self._arrived[:count]
        del self._arrived[:count]
        if self.other is not None:
            self.other.poke()  # There is room in the window.
        return count

    def send(self, buffers: Sequence[Buffer], *, more: bool = False) -> int:
        """Send what fits now; returns the bytes taken."""
        del more
        self.process.check()
        if self._is_broken:
            raise ConnectionFailed(f"sending to {self._peer}: reset")
        assert self.other is not None
        joined = b"".join(buffers)
        count = min(len(joined), self.other.room())
        if count:
            count = self._some(count)
            self.other.come(joined[:count])
        return count

    def send_one(self, data: Buffer) -> int:
        """As `send`, of one buffer."""
        return self.send([data])

    def send_file(self, file: File, position: int, count: int) -> int:
        """Send what fits now of a file region."""
        return self.send([file.read(position, count)])

    def on_readable(self, callback: Callable[[], None] | None, *, late: bool = False) -> None:
        """Call whenever bytes (or the end) can be received, at once; None pauses."""
        del late
        self._reader = callback
        self.poke()

    def on_writable(self, callback: Callable[[], None] | None) -> None:
        """Call whenever bytes can be sent; None stops."""
        self._writer = callback
        self.poke()

    def end_sending(self) -> None:
        """Let the other side find the end of the stream behind what was sent."""
        assert self.other is not None
        self.other.come(b"")

    def close(self) -> None:
        """Close at once; the other side finds the end of the stream behind what was sent."""
        if self.is_closed:
            return
        self.is_closed = True
        self._reader = self._writer = None
        self.process.on_death.pop(self, None)
        assert self.other is not None
        self.other.come(b"")
        if self.other.is_closed:
            self._link.forget()

    def abort(self) -> None:
        """Close so that nothing which was not received yet will be."""
        self._link.cut()
        self.close()

    # --- What the link does -------------------------------------------------------------------

    def room(self) -> int:
        """Bytes that may be sent here now."""
        return max(_WINDOW - len(self._arrived) - self._coming, 0)

    def come(self, data: bytes) -> None:
        """Bytes leave the other side for this one; none are the end of its stream."""
        answers = bool(data) and self is self._link.ends[0]
        if self._link.is_cut or (answers and self._link.swallows_answers):
            return
        loop = self.process.loop
        self._coming += len(data)
        arrival = max(loop.now() + self._link.delay(loop.now(), self), self._last_arrival)
        self._last_arrival = arrival

        def arrive() -> None:
            self._coming -= len(data)
            if self._link.is_cut:
                return
            self._arrived += data
            self._at_end = self._at_end or not data
            self.poke()

        self.process.after(arrival - loop.now(), arrive)

    def lose(self, seconds: float) -> None:
        """The link is cut; this side finds out after that time."""
        self._arrived.clear()

        def find_out() -> None:
            self._is_broken = True
            self.poke()

        self.process.after(seconds, find_out)

    def poke(self) -> None:
        """Call back soon whoever can do something."""
        if not self._poked and (self._is_readable() or self._is_writable()):
            self._poked = True
            self.process.soon(self._call_back)

    def _call_back(self) -> None:
        self._poked = False
        if self._is_readable() and self._reader is not None:
            self._reader()
        if self._is_writable() and self._writer is not None:
            self._writer()
        self.poke()

    def _is_readable(self) -> bool:
        there = bool(self._arrived) or self._at_end or self._is_broken
        return self._reader is not None and there

    def _is_writable(self) -> bool:
        open_ = self._is_broken or (self.other is not None and self.other.room() > 0)
        return self._writer is not None and open_

    def _some(self, count: int) -> int:
        entropy = self._link.entropy
        return 1 + entropy.below(count) if entropy.chance(_SHORT) else count
