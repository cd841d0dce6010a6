"""Records of Kafka's internal topics in words: groups, transactions, the metadata log."""

import base64
import struct
from collections.abc import Mapping
from typing import Any

from barnabas.errors import DecodeError
from barnabas.protocol.internal.record_types import (
    GROUP_RECORDS,
    METADATA_RECORDS,
    REMOTE_LOG_RECORDS,
    SHARE_STATE_RECORDS,
    TRANSACTION_RECORDS,
)
from barnabas.protocol.internal.typed_record import read_typed
from barnabas.records.record_json import ConsumedRecord
from barnabas.wire.compiler import Codec
from barnabas.wire.schema import declaration_of

_KEYED: Mapping[str, Mapping[int, tuple[type, type]]] = {
    "__consumer_offsets": GROUP_RECORDS,
    "__transaction_state": TRANSACTION_RECORDS,
    "__share_group_state": SHARE_STATE_RECORDS,
}
_KEYLESS: Mapping[str, Mapping[int, type]] = {
    "__cluster_metadata": METADATA_RECORDS,
    "__remote_log_metadata": REMOTE_LOG_RECORDS,
}
OWN_TOPICS: Mapping[str, Mapping[int, tuple[type, type] | type]] = {**_KEYED, **_KEYLESS}
"""By topic and kind: the types of key and value, or of the value alone if there are no keys."""

_KIND = struct.Struct(">h")
_PLACE = ("topic", "partition", "offset", "timestamp")
_Described = tuple[str, dict[str, Any] | None, dict[str, Any] | None]


Words = dict[str, Any]
"""Topic, partition, offset, timestamp, type, key and value; no value means a deletion."""


def described(record: ConsumedRecord) -> Words | None:
    """Describe a record; None if the topic, type or version is unknown, or the record is damaged."""
    try:
        if record.topic in _KEYED:
            found = _keyed(_KEYED[record.topic], record.key, record.value)
        elif record.topic in _KEYLESS:
            found = _keyless(_KEYLESS[record.topic], record.value)
        else:
            return None
    except DecodeError:
        return None
    if found is None:
        return None
    kind, key, value = found
    place = {name: getattr(record, name) for name in _PLACE}
    return {**place, "type": kind, "key": key, "value": value}


def details(words: Words) -> str:
    """The type, then key and value with their fields."""
    key = "" if words["key"] is None else f" {_line(words['key'])}"
    value = "gone" if words["value"] is None else _line(words["value"])
    return f"{words['type']}{key} | {value}"


def _line(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(f"{name}={_nested(each)}" for name, each in value.items())
    return str(value)


def _nested(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_nested(each) for each in value) + "]"
    return "{" + _line(value) + "}" if isinstance(value, dict) else _line(value)


def _keyed(
    types: Mapping[int, tuple[type, type]], key: bytes | None, value: bytes | None
) -> _Described | None:
    kind = _version(key)
    if kind is None or kind not in types:
        return None
    key_type, value_type = types[kind]
    version = _version(value) or 0
    if version not in declaration_of(value_type).versions:
        return None
    return (
        key_type.__name__.removesuffix("Key"),
        _plain(key_type, declaration_of(key_type).versions.first, key or b"", _KIND.size),
        None if value is None else _plain(value_type, version, value, _KIND.size),
    )


def _keyless(types: Mapping[int, type], value: bytes | None) -> _Described | None:
    typed = read_typed(types, value or b"")
    if typed is None:
        return None
    name = type(typed.message).__name__.removesuffix("Record")
    return name, None, _fields(typed.message, typed.version)


def _version(data: bytes | None) -> int | None:
    if data is None or len(data) < _KIND.size:
        return None
    return int(_KIND.unpack_from(data)[0])


def _plain(declared: type, version: int, data: bytes | None, position: int) -> dict[str, Any]:
    codec: Codec[object] = Codec.of(declared, version)
    message, _ = codec.decode(data or b"", position)
    return _fields(message, version)


def _fields(message: object, version: int) -> dict[str, Any]:
    """The fields that the message has in its version."""
    found = declaration_of(type(message)).fields
    return {
        name: _value(getattr(message, name), version)
        for name, on in found.items()
        if version in on.versions
    }


def _value(value: Any, version: int) -> Any:
    if isinstance(value, list):
        return [_value(each, version) for each in value]
    if hasattr(value, "DECLARATION"):
        return _fields(value, version)
    if isinstance(value, bytes | bytearray | memoryview):
        return base64.b64encode(value).decode()
    return value
