"""Random batches with a right CRC: each is refused, or any client can read all of it."""

import gzip
import struct
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barnabas.records.batches.checks import check_produced
from barnabas.records.batches.refused_records import RefusedRecords
from tests.record_batches import make_batch, seal

pytestmark = pytest.mark.kernels

NONE, GZIP = 0, 1
GOOD = bytes(make_batch(4, size=130, step=7)[61:])


def varint(read: BytesIO) -> int:
    whole = shift = 0
    while True:
        (byte,) = read.read(1)
        whole |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            assert shift <= 70
            return (whole >> 1) ^ -(whole & 1)


def exactly(read: BytesIO, size: int) -> bytes:
    data = read.read(max(size, 0))
    assert len(data) == max(size, 0)
    return data


def times_of(batch: bytes) -> list[int]:
    """The times of all records, read as KIP-98 says and by nothing of the product."""
    assert struct.unpack_from(">i", batch, 8) == (len(batch) - 12,)
    _, attributes, last, base, _, _, _, _, count = struct.unpack_from(">Ihiqqqhii", batch, 17)
    assert last == count - 1
    body = batch[61:]
    read = BytesIO(gzip.decompress(body) if attributes & 7 == GZIP else body)
    times = []
    for index in range(count):
        record = BytesIO(exactly(read, varint(read)))
        exactly(record, 1)
        times.append((base + varint(record) + 2**63) % 2**64 - 2**63)
        assert varint(record) == index
        exactly(record, varint(record))
        exactly(record, varint(record))
        for _ in range(varint(record)):
            size = varint(record)
            assert size >= 0
            exactly(record, size)
            exactly(record, varint(record))
        assert not record.read()
    assert not read.read()
    return times


def spoil(data: bytes, edits: list[tuple[int, int, bytes]]) -> bytes:
    for at, gone, put in edits:
        place = at % (len(data) + 1)
        data = data[:place] + put + data[place + gone :]
    return data


EDITS = st.lists(
    st.tuples(st.integers(0, 200), st.integers(0, 3), st.binary(max_size=3)), max_size=2
)
TIMES = st.one_of(st.integers(-5, 5_000), st.integers(-(2**63), 2**63 - 1))


@given(
    st.sampled_from([NONE, GZIP]),
    st.one_of(EDITS.map(lambda edits: spoil(GOOD, edits)), st.binary(max_size=80)),
    st.one_of(st.just([]), EDITS),
    st.one_of(st.just(4), st.integers(-1, 9)),
    TIMES,
    TIMES,
)
def test_it_is_refused_or_wholly_readable(
    codec: int,
    records: bytes,
    edits: list[tuple[int, int, bytes]],
    count: int,
    base: int,
    newest: int,
) -> None:
    body = spoil(gzip.compress(records, mtime=0) if codec else records, edits if codec else [])
    batch = make_batch(1)[:61] + body
    struct.pack_into(">hiqq", batch, 21, codec, count - 1, base, newest)
    struct.pack_into(">i", batch, 57, count)
    seal(batch)
    try:
        header = check_produced(memoryview(batch), 1 << 20)
    except RefusedRecords:
        return
    times = times_of(bytes(batch))
    assert len(times) == header.count == count
    stated, *_ = struct.unpack_from(">q", batch, 35)
    assert stated == header.max_timestamp == max(-1, *times)
