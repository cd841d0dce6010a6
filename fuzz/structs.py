"""Messages of every version through the kernels for structs, and through generated Python.

The first two bytes of an input say which message of which version the others are.
"""

import random
from array import array
from collections.abc import Callable, Sequence
from functools import cache
from types import ModuleType
from typing import Any
from unittest.mock import patch

from barnabas.errors import DecodeError, LocalProtocolError
from barnabas.wire import shapes
from barnabas.wire.compiler import Codec
from barnabas.wire.layout import layout_of
from barnabas.wire.reading import MOST_BYTES
from barnabas.wire.schema import declaration_of
from fuzz.messages import make_message
from tests.declarations import every_message
from tests.kernel_forms import Forms

_CHOICE = 2
_REFUSED = -1
VERSIONS = [
    (declared, version)
    for declared in every_message()
    for version in declaration_of(declared).versions
]
_MISFITS: tuple[object, ...] = (
    None,
    True,
    -1,
    1 << 31,
    1 << 70,
    1.5,
    "",
    "\ud800",
    "x" * 40000,
    b"",
    [],
    [None],
    (),
)


def valid_struct(chance: random.Random) -> bytes:
    """A message, behind the number of its kind."""
    number = chance.randrange(len(VERSIONS))
    declared, version = VERSIONS[number]
    codec: Codec[Any] = Codec.of(declared, version)
    encoded = codec.encode(make_message(declared, version, chance))
    return number.to_bytes(_CHOICE, "big") + encoded


def read_struct(forms: Forms, data: bytes) -> list[object]:
    """What a form makes of some bytes, and what it writes of that, also where a value does not fit."""
    number = int.from_bytes(data[:_CHOICE], "big") % len(VERSIONS)
    exact = memoryview(array("B", data[_CHOICE:]))
    decode, encode = _ways(forms.struct_reading, forms.struct_writing, number)
    chance = random.Random(data)
    found = _outcome(decode, exact, 0, chance.choice((200, 1000, MOST_BYTES)))
    if not isinstance(found[0], VERSIONS[number][0]):
        return [_REFUSED, *found]
    message, end = found
    if encode is None:
        return [end, Codec.of(*VERSIONS[number]).encode(message)]
    made = [end, repr(message), *_outcome(encode, message)]
    names = [*declaration_of(type(message)).fields]
    if names:
        setattr(message, chance.choice(names), chance.choice(_MISFITS))
    return [*made, *_outcome(encode, message)]


def _outcome(call: Callable[..., Any], *arguments: object) -> Sequence[Any]:
    try:
        found = call(*arguments)
    except (DecodeError, LocalProtocolError) as failure:
        return type(failure), str(failure)
    return found if isinstance(found, tuple) else (found,)


@cache
def _ways(
    reading: ModuleType, writing: ModuleType, number: int
) -> tuple[Callable[..., Any], Callable[..., Any] | None]:
    """How a form reads and writes one version of a message; None: it may have records."""
    declared, version = VERSIONS[number]
    codec: Codec[Any] = Codec.of(declared, version)
    decode: Callable[..., Any] = codec.generated_decode
    encode: Callable[..., Any] | None = None if codec.has_records else codec.generated_encode
    if not hasattr(reading, "Shape"):
        return decode, encode
    layout = layout_of(declared, version, declaration_of(declared).encoding(version))
    kernels = {
        "struct_reading": reading,
        "struct_writing": writing,
        "Reader": reading.Reader,
        "Writer": writing.Writer,
        "_COMPILED": True,
    }
    with patch.multiple(shapes, **kernels):
        reader = shapes.reader_of(layout, decode, MOST_BYTES)
        writer = None if encode is None else shapes.writer_of(layout, encode)
    assert reader is not None
    return reader.decode, None if writer is None else writer.encode
