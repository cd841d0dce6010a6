"""Records as lines of JSON: `consume --json` writes them, `produce --json` reads them.

Keys, values and header values are text; bytes that are not UTF-8 are {"base64": "…"}.
"""

import base64
import binascii
import json
from typing import Any, NamedTuple, Protocol

from barnabas.config.definition import INT_MAX, LONG_MAX
from barnabas.errors import ConfigError

_FIELDS = frozenset({"topic", "partition", "offset", "timestamp", "key", "value", "headers"})

Headers = list[tuple[str, bytes | None]]


class ConsumedRecord(Protocol):
    """The attributes of a record that this module reads."""

    topic: str
    partition: int
    offset: int
    timestamp: int
    key: bytes | None
    value: bytes | None
    headers: Any


class RecordToSend(NamedTuple):
    """A record to send; None where the producer decides."""

    key: bytes | None
    value: bytes | None
    headers: Headers
    partition: int | None = None
    timestamp_ms: int | None = None


def to_json(record: ConsumedRecord) -> str:
    """One line, without its newline."""
    fields = {
        "topic": record.topic,
        "partition": record.partition,
        "offset": record.offset,
        "timestamp": record.timestamp,
        "key": _text(record.key),
        "value": _text(record.value),
        "headers": [[key, _text(value)] for key, value in record.headers],
    }
    return json.dumps(fields, ensure_ascii=False)


def from_json(line: bytes, number: int) -> RecordToSend:
    """Read one line; `number` is for the message.

    Headers may be an object or a list of pairs. A value that is an object, a list or a number is
    sent as its JSON text. Fields that a producer does not choose (topic, offset) are ignored.

    Raises:
        ConfigError: not JSON, not an object, an unknown field, or a field of the wrong type.
    """
    try:
        fields = json.loads(line)
    except ValueError as error:
        raise ConfigError(f"line {number} is not JSON: {error}") from None
    except RecursionError:
        raise ConfigError(f"line {number} is nested too deeply") from None
    if not isinstance(fields, dict):
        raise ConfigError(f"line {number} must be an object with key, value, headers")
    if not fields.keys() <= _FIELDS:
        raise ConfigError(f"line {number}: {_unknown(fields)}")
    try:
        headers = fields.get("headers") or []
        pairs = headers.items() if isinstance(headers, dict) else headers
        return RecordToSend(
            _bytes(fields.get("key")),
            _bytes(fields.get("value")),
            [(_name(key), _bytes(value)) for key, value in pairs],
            _number(fields, "partition", 0, INT_MAX),
            _number(fields, "timestamp", -LONG_MAX, LONG_MAX),
        )
    except RecursionError:
        raise ConfigError(f"line {number} is nested too deeply") from None
    except (TypeError, ValueError) as error:
        raise ConfigError(f"line {number}: {error}") from None


def _unknown(fields: dict[str, Any]) -> str:
    import difflib

    name = next(name for name in fields if name not in _FIELDS)
    near = difflib.get_close_matches(name, _FIELDS, n=1)
    return f"a record has no field {name}: " + (
        f"did you mean {near[0]}?" if near else f"expected {', '.join(sorted(_FIELDS))}"
    )


def _name(key: object) -> str:
    name = str(key)
    name.encode()  # A lone surrogate has no UTF-8: report it with its line number.
    return name


def _number(fields: dict[str, Any], name: str, low: int, high: int) -> int | None:
    value = fields.get(name)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
        raise ValueError(f"{name} must be a whole number, not {value!r}")
    if value is not None and not low <= value <= high:
        raise ValueError(f"{name} must be between {low} and {high}, not {value}")
    return value


def _text(data: bytes | None) -> object:
    if data is None:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def _bytes(value: object) -> bytes | None:
    if value is None:
        return None
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, dict) and set(value) == {"base64"}:
        try:
            return base64.b64decode(value["base64"], validate=True)
        except (binascii.Error, TypeError):
            raise ValueError("base64 must be text in base 64") from None
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
