"""Whole frames of requests through all kernels that read them, and through generated Python."""

import random
from array import array
from functools import cache
from types import ModuleType
from typing import Any
from unittest.mock import patch

from barnabas.broker.dispatch import SERVED
from barnabas.dialects.dialect import Request
from barnabas.errors import DecodeError
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.declared import DECLARED
from barnabas.protocol.headers import (
    RequestHeader,
    encode_request,
    read_request_header,
)
from barnabas.wire import shapes
from barnabas.wire.charges import MOST_REQUEST_BYTES
from barnabas.wire.compiler import Codec
from barnabas.wire.layout import layout_of
from barnabas.wire.schema import declaration_of
from fuzz.messages import make_message
from tests.kernel_forms import Forms

_OFTEN = (ApiKey.FETCH, ApiKey.OFFSET_COMMIT, ApiKey.PRODUCE)
_SIZE = 4
_ROOMS = (300, 2000, MOST_REQUEST_BYTES)
_REFUSED = -1


def valid_request(chance: random.Random) -> bytes:
    """A frame of any API and version that is served, without its size."""
    often = chance.randrange(2)
    key = chance.choice(_OFTEN) if often else chance.choice(list(SERVED))
    version = chance.randint(SERVED[key].first, SERVED[key].last)
    client = chance.choice((None, "", "client", "ö"))
    header = RequestHeader(key, version, chance.randrange(1 << 31), client)
    message = make_message(DECLARED[key].request, version, chance)
    return encode_request(header, message).joined()[_SIZE:]


def read_request(forms: Forms, data: bytes) -> list[object]:
    """What a form makes of a frame: its header and its message."""
    chance = random.Random(data)
    exact = memoryview(array("B", data))
    whole = _outcome(_whole, forms.struct_reading, exact, chance.choice(_ROOMS))
    return [whole, _REFUSED if isinstance(whole, tuple) else 0]


def _whole(reading: ModuleType, frame: memoryview, room: int) -> str:
    """The request as the kernel for whole frames reads it, or generated Python."""
    found: object = None
    if hasattr(reading, "Shape"):
        requests = reading.Requests(_readers(reading), Request, room)
        found = requests.read(frame)
    if found is None:
        (key, version, number, client), position = read_request_header(frame)
        if version not in SERVED.get(key, ()):
            return "not served"
        codec: Codec[Any] = Codec.of(DECLARED[key].request, version)
        body, _ = codec.generated_decode(frame, position, room)
        found = Request(int(key), version, number, client, body)
    assert isinstance(found, Request)
    if Codec.of(DECLARED[ApiKey(found.api_key)].request, found.api_version).has_records:
        return "records"  # views, each with an address of its own
    return repr(found)


@cache
def _readers(reading: ModuleType) -> dict[int, Any]:
    """Of all requests that are served, by key and version."""
    kernels = {"struct_reading": reading, "Reader": reading.Reader, "_COMPILED": True}
    found: dict[int, Any] = {}
    with patch.multiple(shapes, **kernels):
        for key, versions in SERVED.items():
            for version in versions:
                declared = DECLARED[key].request
                layout = layout_of(declared, version, declaration_of(declared).encoding(version))
                codec: Codec[Any] = Codec.of(declared, version)
                reader = shapes.reader_of(layout, codec.generated_decode, MOST_REQUEST_BYTES)
                found[key << 16 | version] = reader
    return found


def _outcome(call: Any, *arguments: object) -> object:
    try:
        return call(*arguments)
    except (DecodeError, UnicodeDecodeError) as failure:
        return type(failure).__name__, str(failure)
