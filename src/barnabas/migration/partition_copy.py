"""PartitionCopy: copies one source partition to one target partition, resumable at any point.

The target itself shows the progress: message n of the source has offset n in the target, so the
target's end is the number of copied messages. The map finds the source byte of an earlier record.
Whatever lies after that is read from both sides and compared, never written again.

A batch of a killed process may still be in flight. So all batches of a migration have one producer
id, and sequence numbers that follow from the target. Of two batches for the same record, the broker
stores one. The writer of the other gets OUT_OF_ORDER_SEQUENCE_NUMBER, looks up the target's end,
and continues there. Source: KIP-98.
"""

from collections.abc import Callable
from dataclasses import dataclass

from barnabas.errors import BrokerError, ErrorCode
from barnabas.migration.block_reader import Block, BlockReader
from barnabas.migration.block_records import BlockRecords
from barnabas.migration.errors import MigrationStopped
from barnabas.migration.offset_map import BatchProducer, MappedBlock, OffsetMap
from barnabas.migration.payload_sum import PayloadSum
from barnabas.migration.target import MigrationTarget, TargetOutOfSync
from barnabas.records.batches.batch import stamp_producer
from barnabas.records.columns.encoding import EncodeOptions

_SEQUENCE_MASK = 0x7FFFFFFF
_PATIENCE = 20
"""The number of successive lookups of the target without progress before giving up."""


@dataclass(slots=True)
class CopyResult:
    """The result of this run for a partition. `start` and `end` are source bytes.

    `found`: messages that the target had already, after the last block of the map. `left_out`:
    bytes. `tail`: why the bytes after `end` cannot be read yet.
    """

    start: int
    end: int
    messages: int = 0
    found: int = 0
    left_out: int = 0
    tail: str = ""


class PartitionCopy:
    """Use it from one thread."""

    def __init__(
        self,
        reader: BlockReader,
        target: MigrationTarget,
        partition: int,
        offsets: OffsetMap,
        options: EncodeOptions,
    ) -> None:
        self._reader = reader
        self._target = target
        self._partition = partition
        self._map = offsets
        self._options = options
        self._begin = self._end = 0
        self._last: BatchProducer | None = None
        """The producer of the target's last batch, and its last sequence number."""
        self._last_sequence = -1

    def run(self, start: int, until: int, on_progress: Callable[[int, int], None]) -> CopyResult:
        """Copy the source from `start` to `until`, except what the target has already.

        `on_progress` receives source bytes and messages, block by block.

        Raises:
            MigrationStopped: the target has other records, or the source is damaged.
            KafkaError: one of them is unavailable.
        """
        self._look()
        self._map.forget_behind(self._partition, self._end)
        blocks = self._map.blocks(self._partition)
        at, offset = (blocks[-1].end, blocks[-1].next_offset) if blocks else (start, 0)
        if at > until:
            raise MigrationStopped(
                f"the source ends at byte {until}, but {at} were copied to partition "
                f"{self._partition}: it is another source, or has lost its end"
            )
        copied = CopyResult(at, until)
        while at < until:
            block = self._reader.block(at, until)
            if block.end == at:
                copied.end, copied.tail = at, block.left_out
                break
            found = self._stored(block, offset, copied)
            self._map.add(
                MappedBlock(self._partition, at, block.end, offset, found, block.left_out)
            )
            copied.left_out += block.end - at if block.left_out else 0
            on_progress(block.end - at, found.number)
            at, offset = block.end, offset + found.number
        if self._end > offset:
            raise MigrationStopped(
                f"partition {self._partition} of the target has {self._end} records, the source "
                f"{offset} messages: it has other data"
            )
        return copied

    def _stored(self, block: Block, offset: int, copied: CopyResult) -> PayloadSum:
        """Ensure that the target has a block from `offset` on; return its checksums."""
        records = BlockRecords(block, self._target.time_ms())
        done = looks = 0
        while done < records.count:
            there = min(records.count - done, self._end - offset - done)
            if there > 0:
                self._compare(block, offset + done, records.sum(done, done + there))
                done += there
                copied.found += there
                continue
            if there < 0:
                looks += 1
                self._look_again(looks, offset + done)
                continue
            try:
                written = self._append(records, done, offset + done)
            except TargetOutOfSync as error:
                looks += 1
                if looks > _PATIENCE:
                    raise
                self._step_in(error)
            else:
                looks = 0
                done += written
                copied.messages += written
        return records.sum(0, records.count)

    def _append(self, records: BlockRecords, first: int, offset: int) -> int:
        """Append one batch of the records from `first` on; return their number."""
        batch, written = records.batch(first, self._options)
        producer = self._map.producer
        if producer is None:
            producer = self._last or self._target.new_producer()
            self._map.write_as(producer)
        sequence = 0
        if self._last == producer:
            sequence = (self._last_sequence + 1) & _SEQUENCE_MASK
        stamp_producer(batch, *producer, sequence)
        try:
            stored = self._target.append(self._partition, batch)
        except BrokerError as error:
            if error.code is not ErrorCode.MESSAGE_TOO_LARGE:
                raise
            raise records.too_large(str(error)) from error
        if stored != offset:
            raise MigrationStopped(
                f"partition {self._partition} of the target stored a batch at offset {stored}, "
                f"not {offset}: another producer writes to it"
            )
        self._last, self._last_sequence = producer, (sequence + written - 1) & _SEQUENCE_MASK
        self._end = offset + written
        return written

    def _compare(self, block: Block, offset: int, expected: PayloadSum) -> None:
        """Check that the target has these messages; records that it deleted are ignored."""
        if offset < self._begin:
            return
        found = PayloadSum()
        for column in self._target.values(self._partition, offset, offset + expected.number):
            found = found.add(column, 0, len(column.ends) - 1)
        if found != expected:
            raise MigrationStopped(
                f"partition {self._partition} of the target has other records from offset "
                f"{offset} on than the source from byte {block.start} on: use a topic of its own, "
                "and the map of this migration"
            )

    def _look(self) -> None:
        """Look up the target's end, and its last producer."""
        self._begin, self._end = self._target.bounds(self._partition)
        self._last, self._last_sequence = None, -1
        if self._end > self._begin:
            found, self._last_sequence = self._target.last_batch(self._partition, self._end)
            self._last = found

    def _look_again(self, looks: int, copied: int) -> None:
        """Check whether stored records that were hidden are visible now.

        A new leader of Kafka before 2.1 may hide records for a while (KIP-207). An out-of-sync
        leader has lost them.
        """
        if looks > _PATIENCE:
            raise MigrationStopped(
                f"partition {self._partition} of the target ends at {self._end}, but had {copied} "
                "records: it lost acknowledged records; the next run copies them again"
            )
        self._target.pause()
        self._look()

    def _step_in(self, error: TargetOutOfSync) -> None:
        """Continue after what was appended meanwhile, once it is visible, or with a new producer."""
        end = self._end
        self._look()
        if error.code is ErrorCode.UNKNOWN_PRODUCER_ID or self._end == self._begin > 0:
            # Brokers forget a producer after a day of silence: none of its batches is in flight any
            # more.
            self._map.write_as(self._target.new_producer())
        elif self._end == end:
            # A stored batch is hidden from consumers until all replicas have it.
            self._target.pause()
