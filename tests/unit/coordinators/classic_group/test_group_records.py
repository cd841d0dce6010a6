from pathlib import Path

import pytest

from barnabas.coordinators.classic_group.group_records import (
    decode_group,
    decode_group_key,
    encode_end,
    encode_group,
)
from barnabas.errors import DecodeError
from barnabas.records.columns.reading import decode_records
from barnabas.records.columns.record import Record
from tests.unit.coordinators.some_topics import a_shard

VECTORS = Path(__file__).parents[3] / "vectors" / "logs"


def records_of(version: str) -> list[Record]:
    name = f"kafka-{version}/__consumer_offsets-0/00000000000000000000.log"
    return decode_records((VECTORS / name).read_bytes(), "__consumer_offsets", 0)[0]


@pytest.mark.kernels
@pytest.mark.parametrize("version", ["2.8.2", "3.9.2", "4.3.0"])
def test_what_kafka_wrote_is_what_we_write(version: str) -> None:
    found = 0
    for record in records_of(version):
        assert record.key is not None
        group_id = decode_group_key(record.key)
        if group_id is not None and record.value is not None:
            again = encode_group(group_id, decode_group(record.value))
            assert again == (record.key, record.value)
            found += 1
    assert found >= 2


@pytest.mark.kernels
@pytest.mark.parametrize("version", ["0.11.0.3", "1.1.1", "2.8.2", "3.9.2", "4.3.0"])
def test_the_group_that_kafka_left_is_there_and_empty(version: str) -> None:
    shard = a_shard()
    sizes = set()
    for record in records_of(version):
        shard.replay(record.key, record.value)
        sizes |= {len(group.members) for group in shard.groups()}
    group = shard.group("corpus-group")
    assert group is not None
    assert (group.state.value, group.generation, group.protocol_type) == ("Empty", 2, "consumer")
    assert sizes == {0, 1}


def test_a_group_that_ended_has_no_value() -> None:
    assert encode_end("k") == (b"\0\2\0\1k", None)


@pytest.mark.parametrize("value", [b"", b"\0\5", b"\0\3\0\1"])
def test_a_damaged_value_is_an_error(value: bytes) -> None:
    with pytest.raises(DecodeError):
        decode_group(value)


@pytest.mark.parametrize("key", [b"\0", b"\0\2", b"\0\2\0\7kennel"])
def test_a_damaged_key_is_an_error(key: bytes) -> None:
    with pytest.raises(DecodeError):
        decode_group_key(key)
