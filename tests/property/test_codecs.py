"""Every version of every message, against a codec that is slow and obvious."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from barnabas.errors import DecodeError
from barnabas.wire.compiler import Codec
from barnabas.wire.schema import declaration_of
from tests.declarations import every_message
from tests.property.reference_codec import Reference
from tests.property.strategies.messages import messages
from tests.unit.wire.shapes import Everything

EVERY_VERSION = [
    pytest.param(declared, version, id=f"{declared.__name__}-{version}")
    for declared in (Everything, *every_message())
    for version in declaration_of(declared).versions
]

quick = settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize(("declared", "version"), EVERY_VERSION)
@quick
@given(data=st.data())
def test_the_generated_codec_agrees_with_the_reference(
    declared: type, version: int, data: st.DataObject
) -> None:
    message = data.draw(messages(declared, version, unknown=True))
    codec: Codec[Any] = Codec.of(declared, version)
    written = codec.encode(message)
    assert written == Reference(declared, version).encode(message)
    assert codec.decode(written) == (message, len(written))
    assert Reference(declared, version).decode(written) == message


@pytest.mark.parametrize(("declared", "version"), EVERY_VERSION)
@quick
@given(data=st.data())
def test_bad_bytes_raise_decode_errors_and_nothing_else(
    declared: type, version: int, data: st.DataObject
) -> None:
    codec: Codec[Any] = Codec.of(declared, version)
    frame = bytearray(codec.encode(data.draw(messages(declared, version))))
    if frame:
        for place, byte in data.draw(
            st.lists(st.tuples(st.integers(0, len(frame) - 1), st.integers(0, 255)), max_size=3)
        ):
            frame[place] = byte
        del frame[data.draw(st.integers(0, len(frame))) :]
    frame += data.draw(st.binary(max_size=10))
    try:
        read, end = codec.decode(bytes(frame))
    except DecodeError as failure:
        assert 0 <= failure.offset <= len(frame)  # noqa: PT017  (it may as well be readable)
        assert "{" not in failure.where  # noqa: PT017
    else:
        assert end <= len(frame)
        assert codec.decode(codec.encode(read))[0] == read
