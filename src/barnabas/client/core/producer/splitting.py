"""Split a batch that a broker found too large. Sends nothing."""

from barnabas.client.core.producer.producer_batch import ProducerBatch
from barnabas.kernels.batches.objects import RecordAppender
from barnabas.records.batches.builder import build
from barnabas.records.codecs.compression import Codec
from barnabas.records.columns.reading import decode_records
from barnabas.records.columns.record import Record


def split(
    batch: ProducerBatch, codec: Codec, level: int | None, *, transactional: bool = False
) -> list[ProducerBatch]:
    """Return two batches with the records of `batch` in order, built but without sequences."""
    assert batch.payload is not None, "a batch that was sent is built"
    where = batch.where
    records, _ = decode_records(batch.payload, where.topic, where.partition, check_crcs=False)
    assert len(records) == batch.count > 1, "a batch to be split has two records or more"
    middle = len(records) // 2
    halves = records[:middle], records[middle:]
    parts = [_part(batch, index, half) for index, half in enumerate(halves)]
    for part, appender in parts:
        part.payload = build(appender, codec, level, transactional=transactional)
    return [part for part, _ in parts]


def _part(
    whole: ProducerBatch, index: int, records: list[Record]
) -> tuple[ProducerBatch, RecordAppender]:
    part = ProducerBatch(
        whole.where, (*whole.number, index), whole.created, whole.reserved, whole.waits
    )
    appender = RecordAppender(2**31 - 1, part)
    for record in records:
        appender.append(record.timestamp, record.key, record.value, record.headers)
    part.count = appender.count
    part.reserved = appender.size
    return part, appender
