"""Source and target of a migration in memory, where a test decides which of them crashes, and when."""

from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from random import Random

from barnabas.client.driver07.assignment import BrokerPartition
from barnabas.errors import ErrorCode
from barnabas.migration.offset_map import BatchProducer
from barnabas.migration.target import TargetOutOfSync
from barnabas.records.batches.batch import read_header
from barnabas.records.codecs.compression import Codec
from barnabas.records.columns.columns import BytesColumn, ColumnSelection, decode_columns
from barnabas.records.messages07.message07 import encode_set

PLACE = BrokerPartition(0, 0)


class Killed(Exception):
    """The process that migrates is gone."""


def column_of(values: Sequence[bytes]) -> BytesColumn:
    ends = array("i", (0,))
    for value in values:
        ends.append(ends[-1] + len(value))
    return BytesColumn(memoryview(ends), memoryview(b"".join(values)), None, 0)


def values_of(column: BytesColumn) -> list[bytes]:
    return [bytes(column.data[start:end]) for start, end in pairwise(column.ends)]


class MemorySource:
    """One partition: segments of bytes by where they begin."""

    def __init__(self, segments: dict[int, bytes]) -> None:
        self.places = [PLACE]
        self.segments = segments

    @classmethod
    def of_sets(cls, *sets: tuple[Sequence[bytes], int, Codec], start: int = 0) -> "MemorySource":
        """A segment for each set of payloads, of a magic and a codec."""
        segments, at = {}, start
        for payloads, magic, codec in sets:
            segments[at] = encode_set(payloads, magic=magic, codec=codec)
            at += len(segments[at])
        return cls(segments)

    def bounds(self, place: BrokerPartition) -> tuple[int, int]:
        last = max(self.segments)
        return min(self.segments), last + len(self.segments[last])

    def read(self, place: BrokerPartition, offset: int, size: int) -> memoryview:
        for start, data in self.segments.items():
            if start <= offset < start + len(data):
                return memoryview(data)[offset - start : offset - start + size]
        return memoryview(b"")

    def next_start(self, place: BrokerPartition, offset: int) -> int:
        behind = [start for start in self.segments if start > offset]
        return min(behind, default=self.bounds(place)[1])

    def close(self) -> None:
        pass


class MemoryTarget:
    """A topic as Kafka keeps it for idempotent producers; `chance` kills, delays and hides.

    `on_the_way` are batches of processes that are gone; they may arrive at any time. `visible` is
    the end that readers see.
    """

    def __init__(self, chance: Random | None = None) -> None:
        self.records: list[bytes] = []
        self.first = 0
        self.visible = 0
        self.on_the_way: list[bytes] = []
        self.deadly = False
        self._chance = chance or Random(0)
        self._recent: defaultdict[int, list[tuple[int, int, int]]] = defaultdict(list)
        self._writers: list[tuple[BatchProducer, int]] = []
        self._ids = 0

    def bounds(self, partition: int) -> tuple[int, int]:
        self._meanwhile()
        return self.first, self.visible

    def last_batch(self, partition: int, end: int) -> tuple[BatchProducer | None, int]:
        producer, sequence = self._writers[end - 1]
        return (None, -1) if producer.producer_id < 0 else (producer, sequence)

    def pause(self) -> None:
        self._see_all()

    def time_ms(self) -> int:
        return 1_700_000_000_000

    def new_producer(self) -> BatchProducer:
        self._ids += 1
        return BatchProducer(self._ids, 0)

    def append(self, partition: int, batch: bytearray) -> int:
        self._meanwhile()
        if self.deadly and not self._chance.randrange(6):
            self.on_the_way.append(bytes(batch))
            raise Killed
        offset = self._arrive(bytes(batch))
        if self.deadly and not self._chance.randrange(6):
            raise Killed
        self._see_all()  # What is acknowledged, all replicas have.
        return offset

    def values(self, partition: int, start: int, end: int) -> Iterator[BytesColumn]:
        while start < end:
            some = min(end, start + 1 + self._chance.randrange(7))
            yield column_of(self.records[start:some])
            start = some

    def forget(self) -> None:
        """What every broker does with producers that write nothing for long."""
        self._recent.clear()

    def add(self, *values: bytes) -> None:
        """Records of another client, without a producer id."""
        self.records += values
        self._writers += [(BatchProducer(-1, -1), -1)] * len(values)
        self._see_all()

    def _meanwhile(self) -> None:
        while self.on_the_way and self._chance.randrange(2):
            late = self.on_the_way.pop(self._chance.randrange(len(self.on_the_way)))
            with suppress(TargetOutOfSync):
                self._arrive(late)

    def _arrive(self, batch: bytes) -> int:
        header = read_header(batch)
        recent = self._recent[header.producer_id]
        for first, last, offset in recent[-5:]:
            if (first, last) == (header.base_sequence, header.last_sequence):
                return offset
        if recent and header.base_sequence != recent[-1][1] + 1:
            raise TargetOutOfSync(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER)
        offset = len(self.records)
        recent.append((header.base_sequence, header.last_sequence, offset))
        column = decode_columns([batch], wanted=ColumnSelection.VALUE, start=0).value
        assert column is not None
        self.records += values_of(column)
        producer = BatchProducer(header.producer_id, header.producer_epoch)
        self._writers += [(producer, header.last_sequence)] * header.count
        if self._chance.randrange(4):
            self._see_all()
        return offset

    def _see_all(self) -> None:
        self.visible = len(self.records)
