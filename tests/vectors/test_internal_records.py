"""Records and files that Kafka itself wrote, read to the last byte and written again."""

from collections.abc import Iterator
from pathlib import Path
from struct import Struct
from typing import Any

import pytest

from barnabas.protocol.internal.control_records import ControlRecordTypeSchema, EndTxnMarker
from barnabas.protocol.internal.record_types import GROUP_RECORDS
from barnabas.protocol.internal.state_files import AbortedTxn, ProducerSnapshot
from barnabas.protocol.internal.transaction_record import TransactionLogValue
from barnabas.records.batches.batch import walk
from barnabas.records.checksums import crc32c
from barnabas.records.columns.reading import decode_records
from barnabas.wire.compiler import Codec

LOGS = Path(__file__).with_name("logs")
WITH_SNAPSHOTS = sorted({path.parent for path in LOGS.glob("*/corpus-*/*.snapshot")})
WITH_ABORTED = sorted({path.parent for path in LOGS.glob("*/corpus-*/*.txnindex")})
GROUP_LOGS = sorted(LOGS.glob("*/__consumer_offsets-*/*.log"))

SHORT = Struct(">h")
TXN_ENTRY = 2 + 4 * 8


def read(declared: type, version: int, data: bytes) -> Any:
    """The message, which must be all of `data` and become the same bytes again."""
    codec: Codec[Any] = Codec.of(declared, version)
    message, end = codec.decode(data)
    assert end == len(data)
    assert codec.encode(message) == data
    assert message.unknown_tags is None
    return message


def numbered(data: bytes) -> tuple[int, bytes]:
    (number,) = SHORT.unpack_from(data)
    return number, data[SHORT.size :]


@pytest.mark.parametrize("path", GROUP_LOGS, ids=lambda path: path.parts[-3])
def test_every_record_of_groups_is_known(path: Path) -> None:
    records, _ = decode_records(path.read_bytes(), "__consumer_offsets", 0)
    kinds = set()
    for record in records:
        assert record.key is not None
        kind, data = numbered(record.key)
        key, value = GROUP_RECORDS[kind]
        kinds.add(kind)
        read(key, 0, data)
        if record.value is not None:
            version, data = numbered(record.value)
            read(value, version, data)
    assert kinds


def test_a_transaction_says_which_producer_it_had_before() -> None:
    """One that Kafka 4.3.0 wrote into __transaction_state: ongoing, in two partitions."""
    written = bytes.fromhex(
        "0001 0000000000000001 0000 0000ea60 01 02 07 636f72707573 03 00000000 00000001 00"
        "000001a1fbe9fa86 000001a1fbe9fa86 02 00 08 0000000000000001 02 02 0002"
    )
    version, data = numbered(written)
    value = read(TransactionLogValue, version, data)
    assert (value.producer_id, value.previous_producer_id, value.next_producer_id) == (1, 1, -1)
    assert (value.transaction_status, value.client_transaction_version) == (1, 2)
    (topic,) = value.transaction_partitions
    assert (topic.topic, topic.partition_ids) == ("corpus", [0, 1])


@pytest.mark.parametrize("folder", WITH_SNAPSHOTS, ids=lambda path: "/".join(path.parts[-2:]))
def test_snapshots_of_producers_have_the_right_sum(folder: Path) -> None:
    files = sorted(folder.glob("*.snapshot"))
    assert files
    for path in files:
        version, data = numbered(path.read_bytes())
        assert read(ProducerSnapshot, version, data).crc == crc32c(data[4:])


@pytest.mark.parametrize("folder", WITH_ABORTED, ids=lambda path: "/".join(path.parts[-2:]))
def test_aborted_transactions_end_with_a_marker(folder: Path) -> None:
    aborted = {(entry.producer_id, entry.last_offset) for entry in aborted_transactions(folder)}
    markers = {}
    for producer_id, offset, kind, marker in control_records(folder):
        markers[producer_id, offset] = kind
        assert marker.coordinator_epoch >= 0
    assert aborted
    assert aborted == {place for place, kind in markers.items() if kind == 0}


def aborted_transactions(folder: Path) -> Iterator[AbortedTxn]:
    for path in folder.glob("*.txnindex"):
        data = path.read_bytes()
        for position in range(0, len(data), TXN_ENTRY):
            version, entry = numbered(data[position : position + TXN_ENTRY])
            yield read(AbortedTxn, version, entry)


def control_records(folder: Path) -> Iterator[tuple[int, int, int, EndTxnMarker]]:
    """Producer, offset and kind of each marker in the log, and what it holds."""
    for path in sorted(folder.glob("*.log")):
        data = path.read_bytes()
        for batch in walk(data):
            if batch.control:
                key, value = control_record(data[batch.position : batch.position + batch.size])
                kind = read(ControlRecordTypeSchema, *key).type
                marker = read(EndTxnMarker, *value)
                yield batch.producer_id, batch.base_offset, kind, marker


def control_record(batch: bytes) -> tuple[tuple[int, bytes], tuple[int, bytes]]:
    """Key and value of the only record of a control batch, which is never compressed."""
    record = batch[61:]
    # length, attributes, deltas of time and offset, length of the key: a byte each
    key = record[5 : 5 + record[4] // 2]
    value = record[6 + len(key) : 6 + len(key) + record[5 + len(key)] // 2]
    return numbered(key), numbered(value)
