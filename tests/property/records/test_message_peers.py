"""Message sets that two other clients made, of any records, through our readers."""

from typing import Any

import pytest
from aiokafka.record.legacy_records import LegacyRecordBatchBuilder as AioBuilder
from hypothesis import given, settings
from hypothesis import strategies as st
from kafka.record.legacy_records import LegacyRecordBatchBuilder as PythonBuilder

from barnabas.records.codecs.compression import Codec
from barnabas.records.columns.reading import decode_records

CHUNKS = st.none() | st.binary(max_size=70) | st.builds(bytes, st.integers(0, 40_000))
ROWS = st.lists(st.tuples(st.integers(0, 2**47), CHUNKS, CHUNKS), min_size=1, max_size=8)
CODECS = [Codec.NONE, Codec.GZIP, Codec.SNAPPY, Codec.LZ4]
"""Neither of them writes lz4 in magic 0 without a library for its checksum."""

pytestmark = pytest.mark.kernels


@pytest.mark.parametrize("builder", [AioBuilder, PythonBuilder])
@pytest.mark.parametrize("magic", [0, 1])
@given(ROWS, st.data())
@settings(max_examples=25)
def test_their_sets_through_our_reader(
    builder: Any,
    magic: int,
    rows: list[tuple[int, bytes | None, bytes | None]],
    data: st.DataObject,
) -> None:
    codec = data.draw(st.sampled_from(CODECS if magic else CODECS[:-1]))
    made = builder(magic, int(codec), 1 << 30)
    for offset, (timestamp, key, value) in enumerate(rows):
        made.append(offset, timestamp=timestamp, key=key, value=value)
    found, _ = decode_records(bytes(made.build()), "t", 0)
    times = [row[0] if magic else -1 for row in rows]
    assert [record.offset for record in found] == list(range(len(rows)))
    assert [record.timestamp for record in found] == times
    assert [(record.key, record.value) for record in found] == [row[1:] for row in rows]
