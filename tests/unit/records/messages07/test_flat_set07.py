"""Messages of Kafka 0.7 as columns: whatever they were in, and only whole ones."""

import gzip

import pytest

from barnabas.records.codecs.compression import Codec
from barnabas.records.messages07.flat_set07 import FlatSet, flatten
from barnabas.records.messages07.message07 import (
    FetchTooSmall,
    InvalidMessage,
    encode_message,
    encode_set,
)
from tests.migration_peers import values_of
from tests.wires.golden07 import EMPTY_0, GZIPPED, M0, M1, SNAPPED

pytestmark = pytest.mark.kernels

PLENTY = 1 << 20


def payloads(found: FlatSet) -> list[bytes]:
    values = values_of(found.payloads())
    assert len(values) == found.size
    return values


def test_all_that_there_is_comes_in_order() -> None:
    data = M0 + GZIPPED + EMPTY_0 + SNAPPED + M1
    found = flatten(data + M1[:-1], enough=PLENTY)
    assert found.end == len(data), "what is cut off is for the next time"
    assert payloads(found) == [b"hello", b"hello", b"", b"hello", b"hello"]


def test_compressed_in_compressed() -> None:
    inner = encode_set([b"a", b"", b"ccc"], codec=Codec.GZIP)
    data = encode_set([b"x"], codec=Codec.SNAPPY) + encode_message(
        gzip.compress(M1 + inner + M0), codec=Codec.GZIP
    )
    assert payloads(flatten(data, enough=PLENTY)) == [b"x", b"hello", b"a", b"", b"ccc", b"hello"]


def test_a_compressed_message_is_the_last_where_there_is_enough() -> None:
    data = GZIPPED + GZIPPED + M1
    assert flatten(data, enough=1)[1:] == (1, len(GZIPPED))
    assert flatten(data, enough=16)[1:] == (2, 2 * len(GZIPPED))
    assert flatten(data, enough=PLENTY)[1:] == (3, len(data))


def test_it_ends_before_what_is_damaged() -> None:
    bad = M1[:-1] + b"!"
    assert flatten(M1 + M0 + bad + M1, enough=PLENTY)[1:] == (2, len(M1 + M0))
    wrapped = encode_message(b"no gzip", codec=Codec.GZIP)
    assert flatten(M1 + wrapped, enough=PLENTY)[1:] == (1, len(M1))
    for first in (bad, wrapped, encode_message(gzip.compress(M1[:-1]), codec=Codec.GZIP)):
        with pytest.raises(InvalidMessage):
            flatten(first + M1, enough=PLENTY)
    with pytest.raises(FetchTooSmall):
        flatten(M1[:-1], enough=PLENTY)
    assert flatten(b"", enough=PLENTY)[1:] == (0, 0)
