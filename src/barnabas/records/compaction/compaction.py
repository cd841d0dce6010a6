"""Compaction of record batches: find the latest offset of each key, then keep only those records.

Kernels handle the records; this handles batches that they cannot process in one run: compressed
ones, transactional ones, markers. Sources: KIP-98, KIP-354, KIP-534; Kafka's Cleaner and
MemoryRecords.filterTo.
"""

import struct
from array import array
from bisect import bisect_left
from collections.abc import Mapping

from barnabas.kernels import layout
from barnabas.kernels.compaction import compaction, key_maps
from barnabas.records.batches.batch import (
    CODEC_MASK,
    CONTROL,
    CRC_AT,
    CRC_FROM,
    DELETE_HORIZON,
    HEADER_SIZE,
    LOG_APPEND_TIME,
    PREFIX_SIZE,
    TRANSACTIONAL,
)
from barnabas.records.checksums import crc32c
from barnabas.records.codecs.compression import Codec, compress
from barnabas.records.compaction.latest_offsets import LatestOffsets, fail
from barnabas.records.compaction.transactions import TransactionFilter
from barnabas.records.compaction.whole_batches import WholeBatches
from barnabas.types import NO_TIMESTAMP, Buffer

_WIDTH = layout.WIDTH
_CRC = struct.Struct(">I")
_LENGTH = struct.Struct(">i")
_ATTRIBUTES = struct.Struct(">H")
_LONG = struct.Struct(">q")
_TIMES = struct.Struct(">qq")
_ATTRIBUTES_AT, _TIMES_AT, _COUNT_AT = 21, 27, 57
_PRODUCER_EPOCH = struct.Struct(">h")
_PRODUCER_EPOCH_AT = 51


class Survivors:
    """The batches that compaction keeps of a log, visited in order, at one time.

    `kept_empty` are last offsets, sorted, of batches that stay even without records: the last of
    each active producer, and the last of all. `marker_epochs` are the epochs of active producers
    that have no records: their last marker stays.
    """

    def __init__(
        self,
        latest: LatestOffsets,
        transactions: TransactionFilter,
        kept_empty: "array[int]",
        marker_epochs: Mapping[int, int],
        *,
        now_ms: int,
        delete_retention_ms: int,
    ) -> None:
        self._latest = latest
        self._seen = latest.looked_at
        self._transactions = transactions
        self._kept_empty = kept_empty
        self._marker_epochs = marker_epochs
        self._now_ms = now_ms
        self._horizon = now_ms + delete_retention_ms
        self._state = array("q", bytes(8 * layout.COMPACTION_STATE))
        self._state[layout.NEW_HORIZON] = self._horizon
        self._out = bytearray()
        self._verdicts = array("q")

    def of(self, batches: WholeBatches) -> list[Buffer]:
        """The remaining parts of these batches, to be written in order.

        The parts are valid until the next call.

        Raises:
            CorruptRecord: a batch cannot be read.
        """
        self._make_room(batches)
        parts: list[Buffer] = []
        for first, end, kind in batches.runs():
            if kind & CONTROL:
                parts += self._marker(batches, first)
            elif kind & TRANSACTIONAL and self._transactions.is_aborted(batches, first):
                parts += self._emptied(batches, first)
            elif kind & CODEC_MASK:
                parts += self._compressed(batches, first)
            else:
                parts += self._plain(batches, first, end)
        return parts

    def _make_room(self, batches: WholeBatches) -> None:
        self._state[layout.TO_BYTES] = 0
        room = len(batches.data) + layout.GROWTH * batches.records
        if room > len(self._out):
            self._out = bytearray(room)
        if layout.VERDICT * batches.rows > len(self._verdicts):
            self._verdicts = array("q", bytes(8 * layout.VERDICT * batches.rows))

    def _judge(self, batches: WholeBatches, records: Buffer, first: int, end: int) -> None:
        """Mark in `nulls` the records that stay of rows [first, end)."""
        seen = self._seen
        seen.look(batches, records, first, end)
        result = key_maps.judge(
            self._latest.keys,
            batches.table,
            first,
            end,
            self._now_ms,
            seen.hashes,
            seen.places,
            seen.nulls,
            self._verdicts,
        )
        if result < 0:
            fail(batches, first, result)

    def _plain(self, batches: WholeBatches, first: int, end: int) -> list[Buffer]:
        state = self._state
        start = state[layout.TO_BYTES]
        state[layout.REWRITTEN] = 0
        rewritten = array("q", bytes(16 * (end - first)))
        self._judge(batches, batches.data, first, end)
        result = compaction.survive(
            batches.data,
            batches.table,
            first,
            end,
            self._kept_empty,
            self._seen.nulls,
            self._verdicts,
            self._out,
            rewritten,
            state,
        )
        if result < 0:
            fail(batches, first, result)
        view = memoryview(self._out)
        for index in range(0, 2 * state[layout.REWRITTEN], 2):
            position, after = rewritten[index], rewritten[index + 1]
            crc = crc32c(view[position + CRC_FROM : after])
            _CRC.pack_into(view, position + CRC_AT, crc)
        stop = state[layout.TO_BYTES]
        return [view[start:stop]] if stop > start else []

    def _compressed(self, batches: WholeBatches, row: int) -> list[Buffer]:
        table = batches.table
        at = row * _WIDTH
        count = table[at + layout.COUNT]
        if not count:
            return self._emptied(batches, row)
        records = batches.decompressed(row)
        self._judge(batches, records, row, row + 1)
        kept = self._verdicts[layout.KEPT_RECORDS]
        if not kept:
            return self._emptied(batches, row)
        attributes = table[at + layout.ATTRIBUTES]
        new_horizon = bool(self._verdicts[layout.TOMBSTONES] and not attributes & DELETE_HORIZON)
        if kept == count and not new_horizon:
            return [_original(batches, row)]
        return [self._rebuilt(batches, row, records, kept, new_horizon=new_horizon)]

    def _marker(self, batches: WholeBatches, row: int) -> list[Buffer]:
        table = batches.table
        at = row * _WIDTH
        may_go = self._transactions.ends_nothing(batches, row)
        has_horizon = table[at + layout.ATTRIBUTES] & DELETE_HORIZON
        gone = may_go and has_horizon and table[at + layout.BASE_TIMESTAMP] <= self._now_ms
        count = table[at + layout.COUNT]
        if gone or not count:
            return self._emptied(batches, row)
        if not may_go or has_horizon:
            return [_original(batches, row)]
        self._seen.mark_all(count)
        self._verdicts[layout.NEWEST] = table[at + layout.MAX_TIMESTAMP]
        return [self._rebuilt(batches, row, batches.data, count, new_horizon=True)]

    def _rebuilt(
        self, batches: WholeBatches, row: int, records: Buffer, kept: int, *, new_horizon: bool
    ) -> Buffer:
        """A batch of the marked records, compressed by its own codec."""
        table = batches.table
        at = row * _WIDTH
        start, end, count = (table[at + n] for n in (layout.START, layout.END, layout.COUNT))
        attributes = table[at + layout.ATTRIBUTES]
        base, shift = table[at + layout.BASE_TIMESTAMP], 0
        if new_horizon:
            attributes |= DELETE_HORIZON
            if not attributes & LOG_APPEND_TIME:
                shift = self._horizon - base
            base = self._horizon
        out = bytearray(end - start + layout.GROWTH * count)
        size = compaction.write(records, start, end, self._seen.nulls, count, shift, out, 0)
        if size < 0:
            fail(batches, row, size)
        newest = table[at + layout.MAX_TIMESTAMP]
        if not attributes & LOG_APPEND_TIME:
            newest = self._verdicts[layout.NEWEST]
        body = compress(Codec(attributes & CODEC_MASK), memoryview(out)[:size])
        return _batch(_original(batches, row), attributes, (base, newest), kept, body)

    def _emptied(self, batches: WholeBatches, row: int) -> list[Buffer]:
        """Only the header if the batch must remain, otherwise nothing."""
        table = batches.table
        at = row * _WIDTH
        last_offset = batches.last_offset(row)
        original = _original(batches, row)
        attributes = table[at + layout.ATTRIBUTES]
        found = bisect_left(self._kept_empty, last_offset)
        if found == len(self._kept_empty) or self._kept_empty[found] != last_offset:
            epoch = self._marker_epochs.get(table[at + layout.PRODUCER_ID])
            (own_epoch,) = _PRODUCER_EPOCH.unpack_from(original, _PRODUCER_EPOCH_AT)
            if not attributes & CONTROL or epoch is None or epoch != own_epoch:
                return []
        times = (int(NO_TIMESTAMP), table[at + layout.MAX_TIMESTAMP])
        return [_batch(original, attributes & ~(CODEC_MASK | DELETE_HORIZON), times, 0, b"")]


def _original(batches: WholeBatches, row: int) -> memoryview:
    at = row * _WIDTH
    start = batches.table[at + layout.POSITION]
    return memoryview(batches.data)[start : start + batches.table[at + layout.SIZE]]


def _batch(
    original: memoryview, attributes: int, times: tuple[int, int], count: int, body: Buffer
) -> Buffer:
    """A batch with the offsets, producer and leader epoch of `original`, and a right CRC."""
    batch = bytearray(original[:HEADER_SIZE])
    batch += body
    _LENGTH.pack_into(batch, PREFIX_SIZE - _LENGTH.size, len(batch) - PREFIX_SIZE)
    _ATTRIBUTES.pack_into(batch, _ATTRIBUTES_AT, attributes)
    _TIMES.pack_into(batch, _TIMES_AT, *times)
    _LENGTH.pack_into(batch, _COUNT_AT, count)
    _CRC.pack_into(batch, CRC_AT, crc32c(memoryview(batch)[CRC_FROM:]))
    return batch
