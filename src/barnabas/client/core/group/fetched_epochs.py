"""The leader epochs of fetched batches of one partition, which commits store with offsets (KIP-320)."""

import struct
from collections.abc import Iterator
from typing import Final, NamedTuple

from barnabas.records.batches.batch import HEADER_SIZE, MAGIC_AT

NO_EPOCH: Final = -1

_HEAD: Final = struct.Struct(">qii")
_PREFIX_SIZE: Final = 12
_MAGIC: Final = 2
_MOST: Final = 8


class FetchedEpochs:
    """Start offsets of epochs, in log order: epochs only increase, so most fetches add nothing."""

    __slots__ = ("_steps",)

    def __init__(self) -> None:
        self._steps: list[tuple[int, int]] = []

    def begin(self, offset: int, epoch: int) -> None:
        """Reset; only the epoch before `offset` is known (-1: not even that)."""
        self._steps = [(offset - 1, epoch)] if epoch != NO_EPOCH else []

    def extend(self, records: memoryview, last_epoch: int) -> None:
        """Add whole fetched batches; the last one has this epoch."""
        if self._steps and self._steps[-1][1] == last_epoch:
            return
        for base, epoch in _epochs(records):
            if not self._steps or self._steps[-1][1] != epoch:
                self._steps.append((base, epoch))
        del self._steps[:-_MOST]

    def until(self, end: int) -> "KnownEpochs":
        """What is known if only records before `end` were fetched."""
        return KnownEpochs(tuple(self._steps), end)


class KnownEpochs(NamedTuple):
    """The contents of a trail up to its `end`."""

    steps: tuple[tuple[int, int], ...]
    end: int

    def before(self, offset: int) -> int:
        """The epoch of the last batch that starts before an offset; -1 if unknown."""
        if offset > self.end:
            return NO_EPOCH
        return next((epoch for base, epoch in reversed(self.steps) if base < offset), NO_EPOCH)


def _epochs(records: memoryview) -> Iterator[tuple[int, int]]:
    """Base offset and epoch of each batch, up to the first message of an older format."""
    at = 0
    while len(records) - at >= HEADER_SIZE and records[at + MAGIC_AT] == _MAGIC:
        base, length, epoch = _HEAD.unpack_from(records, at)
        yield base, epoch
        at += _PREFIX_SIZE + length
