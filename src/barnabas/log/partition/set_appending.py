"""Messages of magic 0 and 1 appended to a log, where that is the format of its topic.

They become one set with their own offsets; producers, sequences and epochs are of magic 2 only.
Source: Kafka's LogValidator and, up to 2.8, Log.append; KIP-31, KIP-32.
"""

from barnabas.log.append_results import AppendInfo
from barnabas.log.partition.byte_appending import append_messages
from barnabas.log.partition.limits import needs_new_segment, refuse_beyond_segment, refuse_records
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.records.batches.unpacking import Unpacking
from barnabas.records.old_messages.set_checks import SetRules, accept_set
from barnabas.types import NO_TIMESTAMP, Buffer

_ANY_SIZE = 2**31 - 1


def append_set(
    log: PartitionLog,
    records: Buffer,
    *,
    now_ms: int,
    internal: bool = False,
    unpacking: Unpacking | None = None,
) -> tuple[AppendInfo, memoryview]:
    """Make of what a producer sent the messages that the topic stores, and queue them.

    `internal`: written by the broker itself, so neither size nor timestamps are judged.
    `unpacking`: what the request may still unpack. Gives the messages too.
    A set without a whole message is no failure, and has no offset.

    Raises:
        RefusedRecords: the set must not be appended; the log is as before.
        StorageError: the log is offline, or its disk is full.
    """
    if log.refusal is not None:
        raise log.refused()
    config = log.config
    largest = _ANY_SIZE if internal else config.max_message_bytes
    codec = None if config.stored is None else config.stored.codec
    if config.byte_positions:
        # Imported late: most brokers have no such topic.
        from barnabas.records.messages07.to_message07 import messages_of

        made = messages_of(records, largest, codec, unpacking)
        return append_messages(log, made, now_ms=now_ms), made
    append_time = now_ms if config.log_append_time and config.magic else NO_TIMESTAMP
    base = log.end_offset
    data, count, newest = accept_set(
        records,
        SetRules(
            config.magic,
            largest,
            codec,
            known=2 if internal else config.known_magic,
            alone=config.lone_wrappers,
            nested=config.nested_wrappers,
        ),
        first_offset=base,
        append_time_ms=None if append_time < 0 else append_time,
        unpacking=unpacking,
    )
    made = memoryview(data)
    if not count:
        return AppendInfo(-1, -1, NO_TIMESTAMP, log.start_offset), made
    if not internal:
        refuse_records(made, newest, config, now_ms)
        refuse_beyond_segment(len(made), config)
    last = base + count - 1
    if needs_new_segment(log.segments.active, config, (len(made), last, newest), now_ms):
        log.roll(now_ms)
    log.queue_set(made, last, newest)
    return AppendInfo(base, last, append_time, log.start_offset), made
