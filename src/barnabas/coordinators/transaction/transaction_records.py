"""Transactional ids as records of __transaction_state.

A key begins with its kind as int16, 0; a value with its version: 0 for clusters without KIP-890.
Source: Kafka's TransactionLogKey.json, TransactionLogValue.json, TransactionLog.
"""

import struct
from itertools import groupby

from barnabas.coordinators.common.shard import CoordinatorRecord
from barnabas.coordinators.transaction.transaction import ProducerIdAndEpoch, Transaction
from barnabas.coordinators.transaction.transaction_states import EMPTY, TransactionState
from barnabas.errors import DecodeError
from barnabas.protocol.internal.transaction_record import (
    TransactionLogKey,
    TransactionLogTopic,
    TransactionLogValue,
)
from barnabas.types import Buffer, TopicPartition, new_tuple
from barnabas.wire.compiler import Codec
from barnabas.wire.schema import maker

_KIND = 0
NEWEST = 1
"""The version that contains everything about a transaction."""
_SHORT = struct.Struct(">h")
_STATES = tuple(TransactionState)
_NUMBERS = {state: number for number, state in enumerate(_STATES)}
_make_key = maker(TransactionLogKey)
_make_value = maker(TransactionLogValue)
_make_topic = maker(TransactionLogTopic)


def encode_transaction(transaction: Transaction, version: int) -> CoordinatorRecord:
    """The record of a transactional id; `version` 0 omits the fields of KIP-890."""
    producer_id, producer_epoch = transaction.producer
    value = _make_value(
        producer_id=producer_id,
        previous_producer_id=transaction.previous_id,
        next_producer_id=transaction.next_id,
        producer_epoch=producer_epoch,
        transaction_timeout_ms=transaction.timeout_ms,
        transaction_status=_NUMBERS[transaction.state],
        transaction_partitions=_topics(transaction),
        transaction_last_update_timestamp_ms=transaction.updated_ms,
        transaction_start_timestamp_ms=transaction.started_ms,
        client_transaction_version=transaction.client_version,
    )
    data = _SHORT.pack(version) + Codec.of(TransactionLogValue, version).encode(value)
    return new_tuple(CoordinatorRecord, (_encode_key(transaction.transactional_id), data))


def _topics(transaction: Transaction) -> list[TransactionLogTopic] | None:
    if transaction.state is EMPTY:
        return None
    partitions = transaction.partitions
    if len(partitions) == 1:
        ((topic, index),) = partitions
        return [_make_topic(topic=topic, partition_ids=[index])]
    return [
        _make_topic(topic=topic, partition_ids=[one.partition for one in of_topic])
        for topic, of_topic in groupby(sorted(partitions), lambda one: one.topic)
    ]


def encode_end(transactional_id: str) -> CoordinatorRecord:
    """The record that deletes a transactional id."""
    return CoordinatorRecord(_encode_key(transactional_id), None)


def _encode_key(transactional_id: str) -> bytes:
    key = _make_key(transactional_id=transactional_id)
    return _SHORT.pack(_KIND) + Codec.of(TransactionLogKey, 0).encode(key)


def decode_key(key: Buffer) -> str | None:
    """The transactional id of a record's key; None for a record of another kind.

    Raises:
        DecodeError: it is damaged.
    """
    if len(key) < _SHORT.size:
        raise DecodeError("key", 0, "its kind as int16")
    if _SHORT.unpack_from(key)[0] != _KIND:
        return None
    return Codec.of(TransactionLogKey, 0).decode(key, _SHORT.size)[0].transactional_id


def decode_transaction(transactional_id: str, value: Buffer) -> Transaction:
    """Decode the record of a transactional id.

    Raises:
        DecodeError: it is damaged, or has a newer version or state.
    """
    if len(value) < _SHORT.size:
        raise DecodeError("value", 0, "its version as int16")
    (layout,) = _SHORT.unpack_from(value)
    if not 0 <= layout <= NEWEST:
        raise DecodeError("value.version", 0, f"0 to {NEWEST}, not {layout}")
    known, _ = Codec.of(TransactionLogValue, layout).decode(value, _SHORT.size)
    if not 0 <= known.transaction_status < len(_STATES):
        raise DecodeError("value.status", 0, f"0 to {len(_STATES) - 1}")
    return Transaction(
        transactional_id=transactional_id,
        producer=ProducerIdAndEpoch(known.producer_id, known.producer_epoch),
        previous_id=known.previous_producer_id,
        next_id=known.next_producer_id,
        timeout_ms=known.transaction_timeout_ms,
        state=_STATES[known.transaction_status],
        partitions=frozenset(
            TopicPartition(one.topic, index)
            for one in known.transaction_partitions or ()
            for index in one.partition_ids
        ),
        updated_ms=known.transaction_last_update_timestamp_ms,
        started_ms=known.transaction_start_timestamp_ms,
        client_version=known.client_transaction_version,
    )
