"""The latest offset of each key in a stretch of a log, in memory of bounded size."""

import struct
from array import array
from typing import NoReturn

from barnabas.errors import CorruptRecord
from barnabas.kernels import layout
from barnabas.kernels.compaction import key_hashes, key_maps
from barnabas.kernels.compaction.key_maps import KeyMap
from barnabas.records.batches.batch import CODEC_MASK, CONTROL, TRANSACTIONAL
from barnabas.records.buffers import scattered
from barnabas.records.compaction.transactions import TransactionFilter
from barnabas.records.compaction.whole_batches import WholeBatches
from barnabas.types import Buffer

_WIDTH = layout.WIDTH
_SLOT_BYTES = 24
_FEWEST_SLOTS, _FIRST_SLOTS, _GROWTH = 3, 1 << 14, 4
_SECRET = struct.Struct("<QQ")


class ScannedKeys:
    """A kernel's findings about `count` records of some batches; see `look`."""

    def __init__(self, secret: bytes) -> None:
        self._key0, self._key1 = _SECRET.unpack(secret)
        self._make_room(0)
        self.count = 0

    def look(self, batches: WholeBatches, data: Buffer, first: int, end: int) -> None:
        """Look at the records of rows [first, end), which lie in `data`.

        Raises:
            CorruptRecord: a batch cannot be read.
        """
        if batches.records > len(self.nulls):
            self._make_room(batches.records)
        self.count = key_hashes.look(
            data,
            batches.table,
            first,
            end,
            self._key0,
            self._key1,
            self.hashes,
            self.places,
            self.nulls,
        )
        if self.count < 0:
            fail(batches, first, self.count)

    def mark_all(self, count: int) -> None:
        """Mark so many records as remaining."""
        if count > len(self.nulls):
            self._make_room(count)
        self.nulls[:count] = b"\1" * count

    def _make_room(self, records: int) -> None:
        self.hashes = array("Q", bytes(16 * records))
        self.places = array("q", bytes(16 * records))
        self.nulls = bytearray(records)


class LatestOffsets:
    """A map that grows with the keys, up to a number of bytes."""

    def __init__(self, bytes_max: int, load_factor: float, secret: bytes) -> None:
        """`secret` is 16 random bytes; `load_factor` the share of slots to fill."""
        self.looked_at = ScannedKeys(secret)
        self._load_factor = load_factor
        self._slots_max = max(bytes_max // _SLOT_BYTES, _FEWEST_SLOTS)
        self.keys = KeyMap(*self._room(min(_FIRST_SLOTS, self._slots_max)))

    def learn(
        self, batches: WholeBatches, start_offset: int, transactions: TransactionFilter
    ) -> bool:
        """Take in the keys of all records from `start_offset` on; false where it is full.

        Raises:
            CorruptRecord: a batch cannot be read.
        """
        for first, end, kind in batches.runs():
            if kind & CONTROL:
                transactions.ends_nothing(batches, first)
            elif kind & TRANSACTIONAL and transactions.is_aborted(batches, first):
                pass
            elif not self._learn_run(batches, first, end, start_offset, kind & CODEC_MASK):
                return False
            last_offset = batches.last_offset(end - 1)
            if last_offset >= start_offset:
                self.keys.reach(last_offset)
        return True

    def _learn_run(
        self, batches: WholeBatches, first: int, end: int, start_offset: int, codec: int
    ) -> bool:
        data = batches.data
        if codec and batches.table[first * _WIDTH + layout.COUNT]:
            data = batches.decompressed(first)
        seen = self.looked_at
        seen.look(batches, data, first, end)
        while True:
            result = key_maps.learn(
                self.keys, seen.hashes, seen.places, seen.nulls, seen.count, start_offset
            )
            if result != layout.MAP_IS_FULL:
                if result < 0:
                    fail(batches, first, result)
                return True
            if self.keys.size >= self._slots_max:
                return False
            self.keys.move(*self._room(min(_GROWTH * self.keys.size, self._slots_max)))

    def _room(self, slots: int) -> tuple[memoryview, int]:
        most = min(max(int(slots * self._load_factor), 1), slots - 1)
        return scattered(_SLOT_BYTES * slots).cast("Q"), most


def fail(batches: WholeBatches, row: int, result: int) -> NoReturn:
    """Raise what a kernel's negative result for rows from `row` on means."""
    raise CorruptRecord(f"{batches.name(row)} or one behind: {layout.WORDS[result]}")
