"""CRC32C of record batches and murmur2 of keys. The arithmetic is a library's and a kernel's."""

import importlib
from array import array
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, PathFinder
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Protocol, cast

from barnabas.errors import CorruptRecord
from barnabas.kernels import checksums, implementation, layout, partitioning
from barnabas.types import Buffer


class _Crc32c(Protocol):
    def __call__(self, data: Buffer, value: int = 0, /) -> int: ...


def _extension_of(package: str, module: str) -> Path | None:
    """The file of an extension module inside a package, found without importing the package."""
    spec = PathFinder.find_spec(package)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        for suffix in EXTENSION_SUFFIXES:
            path = Path(folder) / (module + suffix)
            if path.exists():
                return path
    return None


def _find_crc32c() -> _Crc32c:
    """The function of the crc32c package.

    Importing that package costs 24 to 48 ms, because its `__init__` reads the metadata of installed
    distributions and makes an argument parser; its extension module alone costs nothing. Where the
    package is laid out otherwise, it is imported as usual.
    """
    path = _extension_of("crc32c", "_crc32c")
    if path is None:
        return cast("_Crc32c", importlib.import_module("crc32c").crc32c)
    name = "crc32c._crc32c"
    spec = spec_from_file_location(name, path, loader=ExtensionFileLoader(name, str(path)))
    if spec is None or spec.loader is None:
        return cast("_Crc32c", importlib.import_module("crc32c").crc32c)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return cast("_Crc32c", module.crc32c)


crc32c: _Crc32c = _find_crc32c()
"""CRC32C (Castagnoli) of any contiguous buffer, going on from `value`.

Releases the GIL on large buffers. 60 ns and about 30 GB/s with the instructions of x86 or ARM.
"""


def murmur2(key: Buffer) -> int:
    """Kafka's hash of a key, as an unsigned 32 bit number; its partitioner clears the top bit."""
    return partitioning.murmur2(key)


def first_wrong(data: Buffer, table: "array[int]", covered_from: int) -> int | None:
    """The first row of a batch table whose batch has not the CRC32C that it states; None for none.

    The CRC covers a batch from its byte `covered_from` on.
    """
    rows = len(table) // layout.WIDTH
    if _FAST and rows > _FEW and len(data) < rows * _SMALL:
        wrong = array("q", (-1,))
        left = checksums.small_batches(data, table, _SMALL, _tables(), wrong)
        if left < 0:
            raise CorruptRecord(layout.WORDS[left])
        if wrong[0] >= 0:
            return wrong[0]
        if not left:
            return None
    view = memoryview(data)
    width = layout.WIDTH
    stated = zip(
        table[layout.POSITION :: width],
        table[layout.SIZE :: width],
        table[layout.CRC :: width],
        strict=True,
    )
    for row, (position, size, crc) in enumerate(stated):
        if crc32c(view[position + covered_from : position + size]) != crc:
            return row
    return None


_SMALL = 512
"""Bytes up to which a batch costs less in the kernel than a call of the library does."""
_FEW = 3
"""Batches up to which one call of the kernel costs more than so many of the library."""
_FAST = implementation == "compiled"


@cache
def _tables() -> "array[int]":
    tables = array("I", bytes(8 * 256 * 4))
    checksums.fill(tables)
    return tables
