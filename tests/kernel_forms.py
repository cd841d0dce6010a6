"""The kernels in two forms side by side, and one run over all that reads batches."""

import sys
from array import array
from collections.abc import Callable
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from barnabas import kernels
from barnabas.kernels import layout
from barnabas.records.checksums import crc32c
from barnabas.records.messages07.message07 import Message

HERE = Path(layout.__file__).parent
LOWEST, BEYOND = -(2**63), 2**63 - 1


FUZZED_ELSEWHERE = {
    "columns.partitioning": "tests/unit/records/columns/test_encoding.py",
    "messages.message_writing": "tests/property/records/test_convert.py",
    "wire.committed_offsets": "tests/property/groups/test_committed_offsets.py",
    "connections.sockets": "tests/unit/kernels/connections/test_sockets.py",
    "connections.repeats": "tests/property/wire/test_repeats.py",
    "connections.request_times": "tests/unit/kernels/connections/test_request_times.py",
}
"""Families that take no bytes of strangers, or have their own comparison with another form."""
FAMILIES = tuple(name for name in kernels.FAMILIES if name not in FUZZED_ELSEWHERE)


class Forms(SimpleNamespace):
    """The kernels that are compared, in one form: an attribute for each of `FAMILIES`, without its folder."""

    def __init__(self, find: Callable[[str], Any]) -> None:
        super().__init__(**{name.rpartition(".")[2]: find(name) for name in FAMILIES})


def source(name: str) -> ModuleType:
    """A family from its source, or from its twin where it has one."""
    path = HERE.joinpath(*name.split("."))
    twin = path.with_name(f"{path.name}_plain.py")
    used = twin if twin.exists() else path.with_suffix(".py")
    return _load(f"uncompiled_{path.name}", used, SourceFileLoader)


def extension(name: str, folder: Path = HERE) -> ModuleType:
    """A family as the extension module in a folder."""
    for suffix in EXTENSION_SUFFIXES:
        path = folder / (name.replace(".", "/") + suffix)
        if path.exists():
            return _load(f"barnabas.kernels.{name}", path, ExtensionFileLoader)
    raise AssertionError(f"no extension module of {name} in {folder}")


def _load(name: str, path: Path, loader: Any) -> ModuleType:
    spec = spec_from_file_location(name, path, loader=loader(name, str(path)))
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    if name not in sys.modules:
        sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def read(forms: Forms, data: bytes) -> list[object]:
    """All that the reading kernels make of some bytes: codes, tables, columns, records.

    Each buffer has exactly the size that the kernels ask for, on the heap, so that a sanitizer sees
    one byte too many.
    """
    exact = array("B", data)
    rows = forms.batch_rows.count(exact)
    made: list[object] = [rows]
    if rows <= 0:
        return made
    table = array("q", bytes(8 * layout.WIDTH * rows))
    walked = array("q", bytes(8 * layout.STATE))
    made += [forms.batch_rows.walk(exact, table, walked), table.tolist(), walked.tolist()]
    # Without the instruction, as uncompiled, nothing is summed: called here for the sanitizer only.
    forms.checksums.small_batches(exact, table, 400, array("q", (-1,)))
    for row in range(rows):
        at = row * layout.WIDTH
        start, end, count = (table[at + n] for n in (layout.START, layout.END, layout.COUNT))
        base_time = table[at + layout.BASE_TIMESTAMP]
        made.append(forms.producing.check(exact, start, end, count, base_time))
        batch = array("B", data[table[at] : table[at] + table[at + layout.SIZE]])
        batch[17:21] = array("B", crc32c(memoryview(batch)[21:]).to_bytes(4, "big"))
        made += [forms.producing.produced(batch, limit) for limit in (len(batch), len(batch) - 1)]
    made += _columns(forms, exact, table, rows)
    return made + _objects(forms, exact, table, rows)


def read_messages(forms: Forms, data: bytes) -> list[object]:
    """As `read`, of messages of magic 0 and 1."""
    exact, progress = array("B", data), array("q", (0,))
    table = array("q", bytes(8 * layout.WIDTH * 8))
    rows = forms.message_rows.rows(exact, 0, len(data), table, progress)
    made: list[object] = [rows, progress[0]]
    tables = array("I", bytes(8 * 256 * 4))
    made.append(forms.message_rows.fill(tables))
    for largest in (0, 1000):
        progress[0] = 0
        while progress[0] <= len(data):
            at = progress[0]
            made.append(
                forms.message_rows.check_crcs(exact, at, len(data), largest, tables, progress)
            )
            made.append(progress[0])
            progress[0] += 1
    if rows <= 0:
        return made
    table = table[: rows * layout.WIDTH]
    table[layout.SHIFT] = 3
    made.append(_columns(forms, exact, table, rows, messages=True))
    return [*made, *_objects(forms, exact, table, rows, messages=True)]


def read_byte_messages(forms: Forms, data: bytes) -> list[object]:
    """As `read`, of messages of Kafka 0.7."""
    exact, tables = array("B", data), array("I", bytes(8 * 256 * 4))
    made: list[object] = [forms.message_rows.fill(tables)]
    for sums in (tables, tables[:0]):
        progress, table = array("q", (0, 0)), array("q", bytes(8 * layout.BYTE_WIDTH * 8))
        made.append(forms.byte_messages.rows(exact, 0, len(data), sums, table, progress))
        made += [progress.tolist(), table.tolist()]
        for room in (40, 24 * progress[1] + len(data)):
            target = bytearray(room)
            end = forms.byte_messages.records(exact, table, 0, progress[1], target, 0)
            made += [end, bytes(target[: max(end, 0)])]
        for largest in (20, 1000):
            progress3 = array("q", (9, 9, 9))
            made.append(forms.byte_messages.check(exact, tables, largest, progress3))
            made.append(progress3.tolist())
        for step in (0, 1):
            found: list[tuple[object, ...]] = []
            last = forms.byte_messages.objects(
                exact, table, 0, progress[1], 7, step, Message, found
            )
            made += [last, found]
    return made


def _columns(
    forms: Forms, data: Any, table: Any, rows: int, *, messages: bool = False
) -> list[object]:
    room = sum(table[layout.COUNT :: layout.WIDTH])
    if room > len(data):
        return ["too many records"]
    bytes_of_bits = (room + 7) // 8
    longs, ints = array("q", bytes(16 * room)), array("i", bytes(12 * room + 12))
    bits_of_both, places = array("B", bytes(2 * bytes_of_bits)), array("i", bytes(12 * room))
    state = array("q", bytes(8 * layout.STATE))
    state[layout.TIMESTAMPS_AT] = room
    state[layout.VALUES_AT], state[layout.HEADERS_AT] = room + 1, 2 * room + 2
    state[layout.VALUE_BITS_AT] = bytes_of_bits
    scanning = forms.message_scanning if messages else forms.scanning
    result = scanning.scan(
        data, table, 0, rows, LOWEST, BEYOND, longs, ints, bits_of_both, places, state
    )
    made: list[object] = [result, state.tolist()]
    if result < 0:
        return made
    count = state[layout.RECORDS]
    keys, values, headers = (ints[at : at + count + 1] for at in (0, room + 1, 2 * room + 2))
    key_data = array("B", bytes(state[layout.KEY_BYTES]))
    value_data = array("B", bytes(state[layout.VALUE_BYTES]))
    made.append(forms.gathering.gather(data, 0, places, keys, 0, count, key_data))
    made.append(forms.gathering.gather(data, 1, places, values, 0, count, value_data))
    number = state[layout.HEADERS]
    name_ends, content_ends = array("i", bytes(4 * number + 4)), array("i", bytes(4 * number + 4))
    names = array("B", bytes(state[layout.HEADER_KEY_BYTES]))
    contents = array("B", bytes(state[layout.HEADER_VALUE_BYTES]))
    bits = array("B", bytes((number + 7) // 8))
    written = array("q", bytes(8 * layout.STATE))
    made.append(
        forms.gathering.gather_headers(
            data, places, headers, 0, count, name_ends, names, content_ends, bits, contents, written
        )
    )
    columns = (
        table, longs, ints, bits_of_both, key_data, value_data, name_ends, names, content_ends,
        contents, bits, written,
    )  # fmt: skip
    made.append(bool(forms.gathering.is_ascii(names)))
    return made + [column.tolist() for column in columns]


def _objects(
    forms: Forms, data: Any, table: Any, rows: int, *, messages: bool = False
) -> list[object]:
    found: list[Any] = []
    state = array("q", bytes(8 * layout.STATE))
    record = forms.message_objects if messages else forms.record
    try:
        result = record.decode(data, table, 0, rows, LOWEST, BEYOND, 1000, "t", 1, found, state)
    except UnicodeDecodeError as error:
        result = error.reason
    return [result, state.tolist(), [each.__reduce__()[1] for each in found]]
