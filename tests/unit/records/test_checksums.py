import subprocess
import sys
from array import array

import pytest
from aiokafka.partitioner import murmur2 as peers_murmur2
from hypothesis import given
from hypothesis import strategies as st

from barnabas.kernels import layout
from barnabas.kernels.batches import batch_rows, checksums
from barnabas.records.checksums import crc32c, first_wrong, murmur2
from tests.record_batches import make_batch

pytestmark = pytest.mark.kernels


def test_crc32c_has_its_check_value() -> None:
    assert crc32c(b"123456789") == 0xE3069283  # RFC 3720, appendix B.4
    assert crc32c(memoryview(b"6789"), crc32c(bytearray(b"12345"))) == 0xE3069283


@pytest.mark.parametrize("size", range(14))
def test_murmur2_is_that_of_kafka(size: int) -> None:
    for key in (bytes(range(200, 200 + size)), b"\xff" * size):
        assert murmur2(key) == peers_murmur2(key)


def test_crc32c_is_had_without_the_costly_package() -> None:
    check = (
        "import sys, barnabas.records.checksums;"
        "heavy = {'crc32c', 'argparse', 'importlib.metadata', 'cramjam', 'pyarrow'};"
        "sys.exit(bool(heavy & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0


def test_the_package_can_still_be_imported_afterwards() -> None:
    import crc32c as package

    assert package.crc32c(b"123456789") == crc32c(b"123456789")


def batches_of(sizes: list[int]) -> tuple[bytearray, "array[int]"]:
    fetched = bytearray()
    for size in sizes:
        fetched += make_batch(1, size=size)
    table = array("q", bytes(8 * layout.WIDTH * len(sizes)))
    assert batch_rows.walk(fetched, table, array("q", bytes(8 * layout.STATE))) == 0
    return fetched, table


@pytest.mark.parametrize("sizes", [[0], [90] * 40, [70, 71, 72, 73, 74, 75, 76, 77, 2000]])
def test_the_first_batch_with_a_wrong_crc(sizes: list[int]) -> None:
    fetched, table = batches_of(sizes)
    assert first_wrong(fetched, table, 21) is None
    for row in reversed(range(len(sizes))):
        fetched[table[row * layout.WIDTH + layout.END] - 1] ^= 1
        assert first_wrong(fetched, table, 21) == row


@given(st.binary(min_size=1, max_size=600))
def test_small_batches_are_summed_as_the_library_does(data: bytes) -> None:
    covered = bytes(21) + data
    table = array("q", bytes(8 * layout.WIDTH))
    table[layout.SIZE], table[layout.CRC] = len(covered), crc32c(data)
    for largest in (len(covered), 0):
        assert first_wrong(covered, table, 21) is None
        table[layout.CRC] ^= 1
        assert first_wrong(covered, table, 21) == 0
        wrong = array("q", (-1,))
        left = checksums.small_batches(covered, table, largest, wrong)
        assert (left, wrong[0]) in ((0, 0), (1, -1))
        table[layout.CRC] ^= 1


def test_the_first_wrong_one_among_small_and_large() -> None:
    fetched, table = batches_of([9000, 70, 9000, 70, 9000])
    for row in reversed(range(5)):
        fetched[table[row * layout.WIDTH + layout.END] - 1] ^= 1
        assert first_wrong(fetched, table, 21) == row
