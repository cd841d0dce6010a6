"""The longest requests of every API: each array of each message with as many elements as memory allows."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from barnabas.broker.dispatch import SERVED
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.declared import DECLARED
from barnabas.wire.layout import FieldLayout, StructLayout, element, layout_of
from barnabas.wire.schema import Blob, Fixed, RecordSet, Text, declaration_of
from tests.hostile.attacks.frames import frame_of

_MOST = 150_000
"""Elements: about as many as the memory of one request has room for."""
_ID = Fixed("16s")
_PLAIN: dict[object, object] = {
    Blob(): b"", RecordSet(): b"", _ID: bytes(16), Fixed("?"): False, Fixed("d"): 1.0,
}  # fmt: skip
_SECONDS_MS = 10_000

Path = tuple[str, ...]


class Names(NamedTuple):
    """What requests name: a topic that there is; or other names for all elements but the first."""

    topic: str
    topic_id: bytes
    partitions: int
    is_unique: bool


def longest_requests(key: ApiKey, names: Names) -> Iterator[tuple[str, bytes]]:
    """Each array of the newest version, by its path, and the frame in which it is long."""
    declared = DECLARED[key].request
    version = max(SERVED[key])
    layout = layout_of(declared, version, declaration_of(declared).encoding(version))
    for path in _arrays(layout, ()):
        request = _Request(names, path).struct(layout, ())
        yield ".".join(path), frame_of(request, version)


def _arrays(layout: StructLayout, above: Path) -> Iterator[Path]:
    for field in (*layout.fields, *layout.tagged):
        path = (*above, field.name)
        if field.array:
            yield path
        if isinstance(field.kind, StructLayout):
            yield from _arrays(field.kind, path)


class _Request(NamedTuple):
    """One request: where the long array is."""

    names: Names
    long: Path

    def struct(self, layout: StructLayout, above: Path, number: int = 0) -> Any:
        fields = (*layout.fields, *layout.tagged)
        return layout.declared(
            **{each.name: self._field(each, (*above, each.name), number) for each in fields}
        )

    def _field(self, field: FieldLayout, path: Path, number: int) -> Any:
        leads_there = path == self.long[: len(path)]
        if field.array:
            count = _MOST if path == self.long else int(leads_there)
            return [self._value(element(field), path, each) for each in range(count)]
        if isinstance(field.kind, StructLayout) and field.nullable and not leads_there:
            return None
        return self._value(field, path, number)

    def _value(self, field: FieldLayout, path: Path, number: int) -> Any:
        kind, names = field.kind, self.names
        if isinstance(kind, StructLayout):
            return self.struct(kind, path, number)
        if isinstance(kind, Text):
            name = str(number) if number and names.is_unique else names.topic
            return None if "regex" in field.name and field.nullable else name
        if kind in _PLAIN:
            return names.topic_id if kind == _ID else _PLAIN[kind]
        if field.name.endswith("timeout_ms"):
            return _SECONDS_MS
        return number % names.partitions if "partition" in field.name else 0
