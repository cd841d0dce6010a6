import datetime as dt
import platform
import subprocess
import sys
from typing import Any

import pyarrow as pa
import pytest
from aiokafka.partitioner import murmur2 as peers_murmur2

from barnabas.errors import ErrorCode
from barnabas.records.batches.checks import check_produced
from barnabas.records.batches.refused_records import RefusedRecords
from barnabas.records.codecs.compression import Codec
from barnabas.records.columns.arrow import to_arrow
from barnabas.records.columns.columns import ColumnSelection, decode_columns
from barnabas.records.columns.encoding import Encoded, EncodeOptions, Partitioner, encode_arrow

pytestmark = pytest.mark.kernels

PAIRS = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))
KEYS = [b"a", None, b"", b"key four", b"e"]
VALUES = [b"1", b"", None, b"x" * 300, b"5"]
HEADERS = [[("h", b"1"), ("", None)], [], None, [("ü", b"")], []]


def columns() -> dict[str, Any]:
    return {
        "key": pa.array(KEYS, pa.binary()),
        "value": pa.array(VALUES, pa.binary()),
        "timestamp": pa.array([5, 3, None, 9, 1], pa.int64()),
        "headers": pa.array(
            [None if h is None else [{"key": k, "value": v} for k, v in h] for h in HEADERS], PAIRS
        ),
    }


def encode(given: dict[str, Any], partitions: int = 1, **options: object) -> list[Encoded]:
    return list(
        encode_arrow(
            given,
            partitioner=Partitioner(partitions),
            options=EncodeOptions(**options),  # type: ignore[arg-type]
            now_ms=77,
        )
    )


def decode(encoded: list[Encoded]) -> dict[str, list[Any]]:
    for each in encoded:
        assert check_produced(memoryview(each.batch), 1 << 20).count == each.count
    batches = [bytes(each.batch) for each in encoded]
    arrays = to_arrow(decode_columns(batches, wanted=ColumnSelection.ALL, start=0))
    found: dict[str, list[Any]] = pa.table(arrays).to_pydict()
    epoch = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
    found["timestamp"] = [(t - epoch) // dt.timedelta(milliseconds=1) for t in found["timestamp"]]
    found["headers"] = [[(h["key"], h["value"]) for h in hs] for hs in found["headers"]]
    return found


@pytest.mark.parametrize("codec", Codec)
def test_what_is_encoded_is_decoded(codec: Codec) -> None:
    found = decode(encode(columns(), codec=codec))
    assert found["key"] == KEYS
    assert found["value"] == VALUES
    assert found["timestamp"] == [5, 3, 77, 9, 1]
    assert found["headers"] == [hs or [] for hs in HEADERS]


@pytest.mark.parametrize("first", range(4))
def test_slices_are_honoured(first: int) -> None:
    found = decode(encode({name: column.slice(first) for name, column in columns().items()}))
    assert found["key"] == KEYS[first:]
    assert found["value"] == VALUES[first:]
    assert found["headers"] == [hs or [] for hs in HEADERS[first:]]


@pytest.mark.parametrize(
    "kind", [pa.large_binary(), pa.string(), pa.large_string(), pa.binary_view()], ids=str
)
def test_text_and_bytes_of_any_kind(kind: pa.DataType) -> None:
    values = pa.array([b"one", None, b"three"], pa.binary()).cast(kind)
    assert decode(encode({"value": values}))["value"] == [b"one", None, b"three"]


def test_dictionaries_and_maps() -> None:
    values = pa.array(["a", None, "a"]).dictionary_encode()
    maps = [[("j", b"w")], [("k", b"v")], None, []]
    headers = pa.array(maps, pa.map_(pa.string(), pa.binary())).slice(1)
    found = decode(encode({"value": values, "headers": headers}))
    assert found["value"] == [b"a", None, b"a"]
    assert found["headers"] == [[("k", b"v")], [], []]


def test_timestamps_of_any_unit() -> None:
    time = dt.datetime(2013, 1, 1, 5, tzinfo=dt.UTC)
    for unit in ("s", "ms", "us", "ns"):
        stamps = pa.array([time, None], pa.timestamp(unit, "UTC"))
        found = decode(encode({"value": pa.array([b"a", b"b"]), "timestamp": stamps}))
        assert found["timestamp"] == [1357016400000, 77]


def test_batches_end_at_their_limit() -> None:
    values = pa.array([b"x" * 90] * 100)
    encoded = encode({"value": values}, batch_bytes=1000)
    assert all(len(each.batch) <= 1000 for each in encoded)
    assert max(len(each.batch) for each in encoded) > 850
    assert decode(encoded)["value"] == values.to_pylist()


def test_a_row_larger_than_the_limit_is_a_batch_of_its_own() -> None:
    values = pa.array([b"a", b"x" * 5000, b"b"])
    assert [each.count for each in encode({"value": values}, batch_bytes=1000)] == [1, 1, 1]


def test_keys_choose_partitions_as_kafka_does() -> None:
    keys = [b"key%d" % n for n in range(200)]
    encoded = encode({"key": pa.array(keys), "value": pa.array(keys)}, partitions=7)
    for each in encoded:
        for key in decode([each])["key"]:
            assert isinstance(key, bytes)
            assert each.partition == (peers_murmur2(key) & 0x7FFFFFFF) % 7
    assert sum(each.count for each in encoded) == 200


def test_rows_without_key_stay_together_for_a_batch() -> None:
    values = pa.array([b"x" * 90] * 100)
    encoded = encode({"value": values}, partitions=3, batch_bytes=2000)
    assert {each.partition for each in encoded} == {0, 1, 2}
    assert len(encoded) <= 9
    assert sum(each.count for each in encoded) == 100


def test_a_column_chooses_partitions() -> None:
    chosen = pa.array([2, None, 0, 2, 1], pa.int64())
    encoded = encode({**columns(), "partition": chosen}, partitions=3)
    by_partition = {each.partition: decode([each])["value"] for each in encoded}
    assert by_partition[0][-1] is None
    assert by_partition[2] == [b"1", b"x" * 300]


@pytest.mark.parametrize("wrong", [3, -2])
def test_a_partition_that_is_not_there_is_refused(wrong: int) -> None:
    chosen = pa.array([0, 1, wrong, 0, 0])
    with pytest.raises(RefusedRecords, match="row 2") as caught:
        encode({**columns(), "partition": chosen}, partitions=3)
    assert caught.value.code == ErrorCode.INVALID_PARTITIONS


def test_no_rows_are_no_batches() -> None:
    assert encode({}) == []
    assert encode({"value": pa.array([], pa.binary())}) == []


FAULTS = """
import resource
import pyarrow as pa
from barnabas.records.columns.encoding import EncodeOptions, Partitioner, encode_arrow

columns = {"value": pa.array([b"x" * 1000] * 3000)}


def encode():
    for _ in encode_arrow(
        columns, partitioner=Partitioner(1), options=EncodeOptions(), now_ms=0
    ):
        pass


for _ in range(5):
    encode()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(20):
    encode()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="mallopt is glibc's")
def test_the_next_batch_takes_the_pages_of_the_one_before() -> None:
    """20 times 3 MB are 15,000 pages; a few may come and go."""
    done = subprocess.run(
        [sys.executable, "-c", FAULTS], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < 3000
