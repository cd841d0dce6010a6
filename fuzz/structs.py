"""Messages of every version through the kernels for structs, and through generated Python.

The first two bytes of an input say which message of which version the others are.
"""

import random
from array import array
from collections.abc import Callable, Sequence
from functools import cache, partial
from types import ModuleType
from typing import Any
from unittest.mock import patch

from barnabas.errors import DecodeError, LocalProtocolError
from barnabas.wire import shapes
from barnabas.wire.compiler import Codec
from barnabas.wire.layout import layout_of
from barnabas.wire.reading import MOST_BYTES
from barnabas.wire.schema import declaration_of
from barnabas.wire.send import Send
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
    # Records are views, each with an address of its own.
    shown = "" if Codec.of(*VERSIONS[number]).has_records else repr(message)
    made = [end, shown, *_outcome(encode, message)]
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
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """How a form reads and writes one version of a message."""
    declared, version = VERSIONS[number]
    codec: Codec[Any] = Codec.of(declared, version)
    decode: Callable[..., Any] = codec.generated_decode
    encode: Callable[..., Any] = _joining(codec) if codec.has_records else codec.generated_encode
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
        writer = shapes.writer_of(layout, encode)
    assert reader is not None
    assert writer is not None
    return reader.decode, partial(_in_parts, writer, encode) if codec.has_records else writer.encode


def _joining(codec: Codec[Any]) -> Callable[[Any], bytes]:
    """What writes a message with records by generated Python."""

    def encode(message: Any) -> bytes:
        send = Send()
        codec.generated_write(message, send)
        return send.joined()

    return encode


def _in_parts(writer: Any, otherwise: Callable[[Any], bytes], message: Any) -> bytes:
    """The same by a kernel, where it does not leave that to the other."""
    written = writer.parts(message)
    if written is None:
        return otherwise(message)
    if isinstance(written, bytes):
        return written
    send = Send()
    send.add_all(*written)
    whole = send.joined()
    assert len(whole) == len(send)
    return whole
