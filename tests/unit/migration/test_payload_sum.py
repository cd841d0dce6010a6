import pytest

from barnabas.migration.payload_sum import PayloadSum
from barnabas.records.checksums import crc32c
from tests.migration_peers import column_of

pytestmark = pytest.mark.kernels

VALUES = [b"a", b"", b"bc", b"def", b""]


def test_pieces_do_not_matter_and_borders_do() -> None:
    column = column_of(VALUES)
    whole = PayloadSum().add(column, 0, 5)
    assert whole == (
        5,
        crc32c(b"abcdef"),
        crc32c(bytes.fromhex("01000000000000000200000003") + bytes(7)),
    )
    assert PayloadSum().add(column, 0, 2).add(column, 2, 2).add(column, 2, 5) == whole
    moved = PayloadSum().add(column_of([b"ab", b"", b"c", b"def", b""]), 0, 5)
    assert (moved.number, moved.data) == (whole.number, whole.data)
    assert moved != whole
