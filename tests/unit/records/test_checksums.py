import subprocess
import sys

import pytest
from aiokafka.partitioner import murmur2 as peers_murmur2

from barnabas.records.checksums import crc32c, murmur2

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
        "sys.exit(bool({'crc32c', 'argparse', 'importlib.metadata', 'cramjam', 'pyarrow'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0


def test_the_package_can_still_be_imported_afterwards() -> None:
    import crc32c as package

    assert package.crc32c(b"123456789") == crc32c(b"123456789")
