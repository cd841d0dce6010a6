"""Appends of produced record sets that need more than the quick way: each is checked by itself.

They may be compressed otherwise than the topic, belong to a transaction, or have an old format. Each function
returns the batch that it has queued, or the response that refuses the record set.
"""

from typing import NamedTuple

from barnabas.broker.replicas.append_errors import (
    not_stored,
    old_format,
    refusal,
    transactional,
    unknown_codec,
)
from barnabas.errors import StorageError
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.segments.log_config import TODAYS_MAGIC, LogConfig
from barnabas.protocol.produce import PartitionProduceResponse
from barnabas.records.batches.batch import HEADER_SIZE, MAGIC_AT, BatchHeader, read_header
from barnabas.records.batches.checks import check_produced
from barnabas.records.batches.refused_records import RefusedRecords
from barnabas.records.batches.unpacking import Unpacking
from barnabas.records.codecs.compression import Codec
from barnabas.types import NO_TIMESTAMP, Buffer

_ATTRIBUTES = BatchHeader._fields.index("attributes")


class QueuedSet(NamedTuple):
    """A record set that was queued: its offset and times, and the bytes to write."""

    base_offset: int
    append_time_ms: int
    start_offset: int
    size: int


Appended = QueuedSet | PartitionProduceResponse


class ProducedSet(NamedTuple):
    """A record set of one partition. `highest_codec`: the newest codec that the client knows.

    `in_transaction`: the records may belong to a transaction. `unpacking`: the memory to which all records
    of the request may decompress.
    """

    records: memoryview
    now_ms: int
    highest_codec: Codec
    in_transaction: bool
    unpacking: Unpacking | None


def append_checked(log: PartitionLog, leader_epoch: int, produced: ProducedSet) -> Appended:
    """Check and queue a batch; it is compressed or converted as the topic wants it."""
    records, unpacking, index = produced.records, produced.unpacking, log.topic_partition.partition
    try:
        header = check_produced(records, log.config.max_message_bytes, unpacking)
        if header[_ATTRIBUTES] and header.transactional and not produced.in_transaction:
            return transactional(index)
        if log.config.rewrites:
            if log.config.stored is None or log.config.magic < TODAYS_MAGIC:
                return _append_old(log, produced)
            records, header = log.config.stored.recompress(
                records, header, log.config.max_message_bytes, unpacking
            )
        return _append_batch(log, leader_epoch, records, header, produced.now_ms)
    except RefusedRecords as reason:
        return refusal(index, reason, log.start_offset)
    except StorageError as error:
        return not_stored(index, error)


def append_messages(log: PartitionLog, leader_epoch: int, produced: ProducedSet) -> Appended:
    """Queue messages of magic 0 and 1 as one batch, or in the topic's old format.

    A set without a whole message is no failure, and has no offset.
    """
    index = log.topic_partition.partition
    if log.config.magic < TODAYS_MAGIC:
        return _append_old(log, produced)
    try:
        batch = _batch_from_messages(produced.records, log.config, produced.unpacking)
        if batch is None:
            return QueuedSet(-1, NO_TIMESTAMP, log.start_offset, 0)
        if batch[1].codec > produced.highest_codec:
            return unknown_codec(index)
        return _append_batch(log, leader_epoch, *batch, produced.now_ms)
    except RefusedRecords as reason:
        return refusal(index, reason, log.start_offset)
    except StorageError as error:
        return not_stored(index, error)


def _batch_from_messages(
    messages: Buffer, config: LogConfig, unpacking: Unpacking | None
) -> tuple[memoryview, BatchHeader] | None:
    """The batch to append for a message set, as the topic stores it; None where nothing came.

    Raises:
        RefusedRecords: as `accept_set` and `Stored.recompress`.
    """
    # Imported late: a broker starts faster without it, and most never need it.
    from barnabas.records.old_messages.set_checks import SetRules, accept_set

    largest, stored = config.max_message_bytes, config.stored
    codec = None if stored is None else Codec.NONE  # it is compressed afterwards
    nested = config.nested_wrappers
    rules = SetRules(TODAYS_MAGIC, largest, codec, alone=config.lone_wrappers, nested=nested)
    accepted = accept_set(messages, rules, unpacking=unpacking)
    if not accepted.count:
        return None
    made, header = memoryview(accepted.data), read_header(accepted.data)
    if stored is None:
        return made, header
    return stored.recompress(made, header, largest, unpacking)


def _append_batch(
    log: PartitionLog, leader_epoch: int, records: memoryview, header: BatchHeader, now_ms: int
) -> Appended:
    """Queue a batch that has been checked. Raises as `PartitionLog.append`."""
    base, _, append_time, start, duplicate = log.append(
        records, leader_epoch=leader_epoch, now_ms=now_ms, header=header
    )
    return QueuedSet(base, append_time, start, 0 if duplicate else len(records))


def _append_old(log: PartitionLog, produced: ProducedSet) -> Appended:
    """Queue records as messages of the topic's old format; they may not belong to a transaction."""
    records, index = produced.records, log.topic_partition.partition
    today = len(records) >= HEADER_SIZE and records[MAGIC_AT] == TODAYS_MAGIC
    if today and read_header(records).transactional:
        return old_format(index)
    # Imported late: a broker starts faster without it, and most never need it.
    from barnabas.log.partition.set_appending import append_set

    try:
        info, made = append_set(log, records, now_ms=produced.now_ms, unpacking=produced.unpacking)
    except RefusedRecords as reason:
        return refusal(index, reason, log.start_offset)
    except StorageError as error:
        return not_stored(index, error)
    return QueuedSet(info.base_offset, info.append_time_ms, info.log_start_offset, len(made))
