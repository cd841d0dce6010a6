"""Requests of any API and version whose values are at the edges of what they can be, or beyond."""

import random
from collections.abc import Iterator, Mapping
from typing import Any

from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.declared import DECLARED
from barnabas.protocol.headers import RequestHeader, encode_request
from barnabas.versions import VersionRange
from barnabas.wire.layout import FieldLayout, StructLayout, layout_of
from barnabas.wire.schema import Fixed, Text, declaration_of

_NUMBERS: Mapping[str, tuple[Any, ...]] = {
    "?": (True, False),
    "b": (0, 1, 2, 3, -1, 127, -128),
    "h": (0, 1, 2, -1, 32767, -32768),
    "i": (0, 1, 7, -1, -2, 2**31 - 1, -(2**31)),
    "q": (0, 1, 7, -1, -2, -3, 2**63 - 1, -(2**63)),
    "H": (0, 65535),
    "d": (0.0, -1.0, 5.0, float("inf"), float("nan")),
    "16s": (bytes(16), bytes(15) + b"\1", b"\1" * 16),
}
_TEXTS = (
    "", ".", "t", "t", "t", "g", "1", "a b", "\u00e9", "x" * 300, "consumer", "range", "retention.ms",
    "cleanup.policy", "__consumer_offsets", "__transaction_state",
)  # fmt: skip
_BLOBS = (b"", b"abc", bytes(61), bytes(100))

_LEFT_OUT = frozenset({ApiKey.ALTER_CLIENT_QUOTAS, ApiKey.DELETE_TOPICS})
"""What would slow down or take away what the others ask for."""


def odd_requests(
    served: Mapping[ApiKey, VersionRange], chance: random.Random, count: int
) -> Iterator[tuple[str, bytes]]:
    """So many frames of what is served, each with a name. None asks to wait for long."""
    keys = [key for key in served if key not in _LEFT_OUT]
    for _ in range(count):
        key = chance.choice(keys)
        version = chance.randint(served[key].first, served[key].last)
        request = DECLARED[key].request
        encoding = declaration_of(request).encoding(version)
        message = _struct(layout_of(request, version, encoding), chance)
        for name in ("max_wait_ms", "timeout_ms", "rebalance_timeout_ms", "session_timeout_ms"):
            if hasattr(message, name):
                setattr(message, name, chance.choice((0, 1, -1, 10)))
        header = RequestHeader(key, version, 7, chance.choice(("c", "", None)))
        yield f"{key.name} {version}: {message}", encode_request(header, message).joined()


def _struct(layout: StructLayout, chance: random.Random) -> Any:
    fields = (*layout.fields, *layout.tagged)
    return layout.declared(**{field.name: _value(field, chance) for field in fields})


def _value(field: FieldLayout, chance: random.Random) -> Any:
    if (field.nullable or field.optional) and chance.random() < 0.2:
        return None
    if field.array:
        return [_one(field, chance) for _ in range(chance.choice((0, 1, 1, 2, 3)))]
    return _one(field, chance)


def _one(field: FieldLayout, chance: random.Random) -> Any:
    kind = field.kind
    if isinstance(kind, StructLayout):
        return _struct(kind, chance)
    if isinstance(kind, Fixed):
        return chance.choice(_NUMBERS[kind.code])
    return chance.choice(_TEXTS if isinstance(kind, Text) else _BLOBS)
