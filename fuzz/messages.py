"""Messages full of values, built from their declarations: where mutation starts."""

import random
import sys
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from barnabas.wire.schema import Blob, Fixed, RecordSet, Text, declaration_of


def make_message(declared: type, version: int, chance: random.Random) -> object:
    """An object of a `@message` or `@struct` class with every field of `version` filled."""
    namespace = vars(sys.modules[declared.__module__])
    hints = get_type_hints(declared, namespace, include_extras=True)
    values = {
        name: _value(hints[name], version, chance)
        for name, field in declaration_of(declared).fields.items()
        if version in field.versions
    }
    return declared(**values)


def _value(hint: Any, version: int, chance: random.Random) -> Any:
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        return _value(get_args(hint)[0], version, chance)
    if origin is Annotated:
        return _simple(get_args(hint)[1], chance)
    if origin is list:
        return [_value(get_args(hint)[0], version, chance) for _ in range(chance.randrange(1, 3))]
    return make_message(hint, version, chance)


def _simple(kind: object, chance: random.Random) -> object:
    match kind:
        case Fixed(code="?"):
            return chance.random() < 0.5
        case Fixed(code="d"):
            return chance.random()
        case Fixed(code="16s"):
            return chance.randbytes(16)
        case Fixed():
            return chance.randrange(100)
        case Text():
            return "t" * chance.randrange(12)
        case Blob() | RecordSet():
            return chance.randbytes(chance.randrange(40))
        case _:
            raise TypeError(f"no value for a field of {kind}")
