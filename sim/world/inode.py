"""Inode: the bytes of one simulated file: those the system shows, and those on stable storage."""

from collections.abc import Sequence

from barnabas.types import Buffer
from sim.world.entropy import SeededEntropy

_SECTOR = 512


class Inode:
    """A file, however it is called. `data` is what the system shows."""

    __slots__ = ("_begun", "_ended", "_stable", "data", "modified_ms")

    def __init__(self, now_ms: int) -> None:
        self.data = bytearray()
        self.modified_ms = now_ms
        self._stable = b""
        self._begun = 0
        self._ended = 0

    def write(self, position: int, buffers: Sequence[Buffer], now_ms: int) -> None:
        """Put the buffers one behind the other; a hole becomes zeros."""
        joined = b"".join(buffers)
        self.data += bytes(max(position - len(self.data), 0))
        self.data[position : position + len(joined)] = joined
        self.modified_ms = now_ms

    def begin_sync(self) -> tuple[int, bytes]:
        """What a sync that begins now promises: to be given to `end_sync`."""
        self._begun += 1
        return self._begun, bytes(self.data)

    def end_sync(self, number: int, content: bytes) -> None:
        """A sync is over; one that began before another that is over brings no news."""
        if number > self._ended:
            self._ended = number
            self._stable = content

    def sync(self) -> None:
        """Begin and end one."""
        self.end_sync(*self.begin_sync())

    def power_cut(self, entropy: SeededEntropy) -> str:
        """Keep what is stable, and of what was added since, chance decides. Says what it did."""
        shown, stable = bytes(self.data), self._stable
        if shown == stable:
            return ""
        if not shown.startswith(stable):
            # Written over or cut: the one or the other is there.
            kept = entropy.one_of((shown, stable))
        else:
            kept = stable + _remains(shown[len(stable) :], entropy)
        self.data = bytearray(kept)
        self._stable = kept
        return f"{len(stable)} stable of {len(shown)} bytes, {len(kept)} there"


def _remains(added: bytes, entropy: SeededEntropy) -> bytes:
    """A beginning, a length with fewer bytes than it says, or some sectors without others."""
    stays = entropy.below(len(added) + 1)
    match entropy.below(3):
        case 0:
            return added[:stays]
        case 1:
            return added[:stays] + bytes(entropy.below(len(added) - stays + 1))
        case _:
            sectors = [added[at : at + _SECTOR] for at in range(0, len(added), _SECTOR)]
            return b"".join(one if entropy.chance(0.5) else bytes(len(one)) for one in sectors)
