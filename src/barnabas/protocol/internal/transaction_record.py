"""Records of the internal topic __transaction_state (KIP-98).

Key and value each begin with a number as int16, outside of what is declared here: the key with its
kind, 0, the value with its version.

Versions of the value: 1 flexible, producer ids before and after (KIP-890), next epoch (KIP-939)
"""

from __future__ import annotations

from barnabas.wire.schema import Array, Int8, Int16, Int32, Int64, String, message, on, struct


@message(versions="0")
class TransactionLogKey:
    """Which transactional id."""

    transactional_id: String


@message(versions="0-1", flexible="1+")
class TransactionLogValue:
    """Its producer and the state of its transaction; times in ms since 1970.

    Status: 0 empty, 1 ongoing, 2 prepares to commit, 3 prepares to abort, 4 committed, 5 aborted, 6
    dead, 7 prepares an epoch's fence. The previous producer id is that of the last transaction that
    ended, the next one the one that its client received; -1: the same.
    """

    producer_id: Int64
    previous_producer_id: Int64 = on("1+", default=-1, tag=0)
    next_producer_id: Int64 = on("1+", default=-1, tag=1)
    producer_epoch: Int16
    next_producer_epoch: Int16 = on("1+", default=-1, tag=3)
    transaction_timeout_ms: Int32
    transaction_status: Int8
    transaction_partitions: Array[TransactionLogTopic] | None
    transaction_last_update_timestamp_ms: Int64
    transaction_start_timestamp_ms: Int64
    client_transaction_version: Int16 = on("1+", default=0, tag=2)


@struct
class TransactionLogTopic:
    """Partitions of one topic that take part."""

    topic: String
    partition_ids: Array[Int32]
