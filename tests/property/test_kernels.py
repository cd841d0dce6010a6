"""A kernel compiled is the same file uncompiled, on any bytes, errors included."""

import random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from barnabas.kernels import implementation
from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.codecs.compression import Codec
from barnabas.records.messages07.message07 import encode_set
from fuzz.compactions import compact, log
from fuzz.kernels import compare
from fuzz.mutations import mutate
from fuzz.rows import write
from tests.kernel_forms import Forms, extension, read, read_byte_messages, read_messages, source
from tests.message_sets import message

pytestmark = [
    pytest.mark.kernels,
    pytest.mark.skipif(implementation != "compiled", reason="there is one form only"),
]

CHUNKS = st.none() | st.binary(max_size=200)
HEADERS = st.lists(st.tuples(st.text(max_size=5), CHUNKS), max_size=3)
RECORD = st.tuples(st.integers(-(2**63), 2**63 - 1), CHUNKS, CHUNKS, HEADERS)
BATCH = st.lists(RECORD, min_size=1, max_size=6)


Batch = list[tuple[int, bytes | None, bytes | None, list[tuple[str, bytes | None]]]]


def encoded(records: Batch) -> bytes:
    builder = BatchBuilder(Codec.NONE, 1 << 20)
    for record in records:
        builder.append(*record)
    return bytes(builder.build())


COMPILED = Forms(extension if implementation == "compiled" else source)
PURE = Forms(source)


@given(st.lists(BATCH, min_size=1, max_size=3))
def test_on_whole_batches(batches: list[Batch]) -> None:
    data = b"".join(encoded(batch) for batch in batches)
    compiled = read(COMPILED, data)
    assert compiled[0] == len(batches)
    assert compiled == read(PURE, data)


@given(BATCH, st.integers(0, 2**32))
def test_on_damaged_batches(batch: Batch, seed: int) -> None:
    damaged = mutate(encoded(batch), random.Random(seed))
    assert read(COMPILED, damaged) == read(PURE, damaged)


@given(st.binary(max_size=300))
def test_on_any_records(data: bytes) -> None:
    """A whole header, so that what follows is read as records."""
    assume(data)
    batch = bytearray(encoded([(0, b"k", b"v", [])])[:61]) + data
    batch[8:12] = (len(batch) - 12).to_bytes(4, "big")
    batch[57:61] = (max(1, len(data) // 7)).to_bytes(4, "big")
    assert read(COMPILED, bytes(batch)) == read(PURE, bytes(batch))


MESSAGE = st.builds(
    message,
    st.integers(-(2**63), 2**63 - 1),
    CHUNKS,
    CHUNKS,
    timestamp=st.none() | st.integers(-(2**63), 2**63 - 1),
    attributes=st.sampled_from((0, 0, 0, 8, 1, 2, 3)),
)
MESSAGES = st.lists(MESSAGE, min_size=1, max_size=6).map(b"".join)


@given(MESSAGES)
def test_on_messages(data: bytes) -> None:
    assert read_messages(COMPILED, data) == read_messages(PURE, data)


@given(MESSAGES, st.integers(0, 2**32))
def test_on_damaged_messages(data: bytes, seed: int) -> None:
    damaged = mutate(data, random.Random(seed))
    assert read_messages(COMPILED, damaged) == read_messages(PURE, damaged)


BYTE_MESSAGES = st.lists(st.binary(max_size=60), max_size=6).flatmap(
    lambda payloads: st.sampled_from([0, 1]).map(lambda magic: encode_set(payloads, magic=magic))
)


@given(BYTE_MESSAGES, st.integers(0, 2**32))
def test_on_messages_of_kafka_07(data: bytes, seed: int) -> None:
    for each in (data, mutate(data, random.Random(seed)) if data else b""):
        assert read_byte_messages(COMPILED, each) == read_byte_messages(PURE, each)


@given(st.integers(0, 2**64))
def test_on_batches_to_be_compacted(seed: int) -> None:
    whole = log(random.Random(seed))
    compiled = compact(COMPILED, whole)
    assert compiled[0] in range(1, 5)
    assert compiled == compact(PURE, whole)


@given(st.integers(0, 2**64))
def test_on_damaged_batches_to_be_compacted(seed: int) -> None:
    chance = random.Random(seed)
    damaged = mutate(log(chance), chance)
    assert compact(COMPILED, damaged) == compact(PURE, damaged)


@given(st.integers(0, 2**64))
def test_on_rows_to_be_written(seed: int) -> None:
    assert write(COMPILED, seed) == write(PURE, seed)


def test_a_slice_of_what_the_sanitizers_see() -> None:
    """So that `python -m fuzz.kernels` cannot fall behind the kernels unseen."""
    tried, refused = compare(COMPILED, PURE, 1, range(500))
    assert tried == 500
    assert 100 < refused < 500
