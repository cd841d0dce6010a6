"""Mirror a partition to Kafka 0.7, which neither acknowledges messages nor identifies producers.

So the target itself shows the progress: first, its messages after the last compared place are compared
with the source, and only missing ones are written. A set of messages is sent after the end of the log shows
that the previous set was stored. All messages are read back and compared.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from threading import Event
from typing import Final, NamedTuple

from barnabas.client.driver07.assignment import BrokerPartition
from barnabas.client.driver07.connection import Connection
from barnabas.client.sync.ranges import RangeReader
from barnabas.dialects.kafka07.messages import ProduceRequest
from barnabas.errors import RequestTimeout
from barnabas.migration.broker_source import BrokerSource
from barnabas.pipelines.errors import PipelineRefused, RecordsDiffer
from barnabas.records.columns.columns import ColumnSelection
from barnabas.records.messages07.message07 import (
    FetchTooSmall,
    Message,
    encode_message,
    read_messages,
)
from barnabas.types import TopicPartition

_SET_BYTES: Final = 1 << 19
_FETCH_BYTES: Final = 1 << 20
_LOOKS: Final = 3000
_PAUSE_S: Final = 0.01


class MatchingPosition(NamedTuple):
    """An offset of the source and the byte of the target that has the same record next."""

    source: int
    target: int


@dataclass(frozen=True, slots=True)
class PartitionTo07:
    """`where` in the source, up to the offset `end`; `place` of `topic` in the target."""

    reading: RangeReader
    where: TopicPartition
    end: int
    target: BrokerSource
    topic: str
    place: BrokerPartition

    def compare(self, begin: MatchingPosition) -> tuple[MatchingPosition, int]:
        """Compare what the target has behind `begin`; up to where both are equal, and how many records.

        Raises:
            RecordsDiffer: a message is not what the source has there.
        """
        records, count = self._records(begin.source), 0
        source, at = begin
        for message in self.messages(at):
            offset, value = next(records, (-1, b""))
            if offset < 0 or value != message.payload:
                there = f"{self._named} at byte {at}"
                raise RecordsDiffer(
                    f"{there} is surplus: {self.where.topic}-{self.where.partition} has no such record. "
                    "Nobody else may write to the target: name another topic, and another --work"
                    if offset < 0
                    else f"{there} is not the record at offset {offset} of {self.where.topic}-"
                    f"{self.where.partition}: a message is missing, surplus or changed"
                )
            source, at, count = offset + 1, message.next_offset, count + 1
        return MatchingPosition(source, at), count

    def write(self, begin: MatchingPosition, connection: Connection) -> int:
        """Append the records of the source from `begin` on; how many they were.

        Raises:
            PipelineRefused: a record has no value.
            ConnectionFailed, RequestTimeout: the broker did not take them all.
        """
        found: list[bytes] = []
        size = count = 0
        at = begin.target
        for _, value in self._records(begin.source):
            message = encode_message(value)
            if found and size + len(message) > _SET_BYTES:
                at = self._append(connection, at, b"".join(found))
                found, size = [], 0
            found.append(message)
            size, count = size + len(message), count + 1
        if found:
            self._append(connection, at, b"".join(found))
        return count

    def left(self, offset: int) -> int:
        """The number of the source's records at `offset` or after it."""
        return self.reading.count(*self.where, offset, self.end)

    def messages(self, start: int) -> Iterator[Message]:
        """The messages of the target from the byte `start` up to its end now."""
        _, end = self.target.bounds(self.place)
        size = _FETCH_BYTES
        while start < end:
            part = self.target.read(self.place, start, size)
            try:
                found, start = read_messages(part, start)
            except FetchTooSmall:
                size *= 4
                continue
            if not found:
                raise RecordsDiffer(
                    f"{self._named} has nothing at byte {start}, but ends at {end}: its retention was "
                    "faster. Set a longer one (log.retention.hours), and begin with another --work"
                )
            yield from found

    def _append(self, connection: Connection, at: int, messages: bytes) -> int:
        connection.tell(
            ProduceRequest(topic=self.topic, partition=self.place.partition, messages=messages)
        )
        behind = at + len(messages)
        for _ in range(_LOOKS):
            if self.target.bounds(self.place)[1] >= behind:
                return behind
            Event().wait(_PAUSE_S)
        raise RequestTimeout(
            f"{self._named} does not end at byte {behind}: the broker at {connection.address.host}:"
            f"{connection.address.port} refused what was sent (max.message.size?), or flushes later than "
            "this waits (log.default.flush.interval.ms). Run again to go on"
        )

    def _records(self, start: int) -> Iterator[tuple[int, bytes]]:
        """Offset and value of the source's records from `start` on."""
        wanted = ColumnSelection.OFFSET | ColumnSelection.VALUE
        for part in self.reading.read(*self.where, start, self.end, wanted):
            column, offsets = part.value, part.offsets
            assert column is not None
            assert offsets is not None
            for index, offset in enumerate(offsets):
                if column.validity is not None and not (
                    column.validity[index >> 3] >> (index & 7) & 1
                ):
                    raise PipelineRefused(
                        f"{self.where.topic}-{self.where.partition} has no value at offset {offset}, and "
                        "Kafka 0.7 has no such messages"
                    )
                yield offset, bytes(column.data[column.ends[index] : column.ends[index + 1]])

    @property
    def _named(self) -> str:
        return f"{self.topic} of Kafka 0.7, partition {self.place},"
