"""Every version of every message, against a codec that is slow and obvious.

What kernels read and write, and what generated code does, is compared in all: bytes, objects, errors.
"""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from barnabas.errors import DecodeError, LocalProtocolError
from barnabas.wire.compiler import Codec
from barnabas.wire.layout import FieldLayout, StructLayout, layout_of
from barnabas.wire.schema import declaration_of
from tests.declarations import every_message
from tests.property.strategies.messages import messages
from tests.property.wire.reference_codec import Reference
from tests.unit.wire.shapes import Everything

EVERY_VERSION = [
    pytest.param(declared, version, id=f"{declared.__name__}-{version}")
    for declared in (Everything, *every_message())
    for version in declaration_of(declared).versions
]
MISFITS: tuple[object, ...] = (
    None,
    True,
    -1,
    200,
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

quick = settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))


def outcome(call: Callable[..., Any], *arguments: object) -> Any:
    """What a call gives, or the error it raises."""
    try:
        return call(*arguments)
    except (DecodeError, LocalProtocolError) as failure:
        return type(failure), str(failure)


def same(one: Any, other: Any) -> bool:
    """Whether two outcomes are equal, or at least look so: one number that is none is no other."""
    return one == other or repr(one) == repr(other)


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
    generated = codec.generated_decode(written)
    assert generated == (message, len(written))
    if not codec.has_records:
        assert written == codec.generated_encode(message)
        assert repr(generated) == repr(codec.decode(written))  # True is not 1
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
    spare = data.draw(st.one_of(st.integers(0, 2000), st.just(1 << 26)))
    arguments = bytes(frame), data.draw(st.integers(0, len(frame))), spare
    assert same(outcome(codec.decode, *arguments), outcome(codec.generated_decode, *arguments))
    try:
        read, end = codec.decode(bytes(frame))
    except DecodeError as failure:
        assert 0 <= failure.offset <= len(frame)  # noqa: PT017  (it may as well be readable)
        assert "{" not in failure.where  # noqa: PT017
    else:
        assert end <= len(frame)
        assert codec.decode(codec.encode(read))[0] == read


@pytest.mark.parametrize(("declared", "version"), EVERY_VERSION)
@quick
@given(data=st.data())
def test_what_does_not_fit_is_written_or_refused_in_the_same_words(
    declared: type, version: int, data: st.DataObject
) -> None:
    codec: Codec[Any] = Codec.of(declared, version)
    if codec.has_records:
        return
    message = data.draw(messages(declared, version))
    layout = layout_of(declared, version, declaration_of(declared).encoding(version))
    places = fields_of(message, layout)
    if places:
        owner, field = data.draw(st.sampled_from(places))
        setattr(owner, field.name, data.draw(st.sampled_from(MISFITS)))
    assert outcome(codec.encode, message) == outcome(codec.generated_encode, message)


def fields_of(message: Any, layout: StructLayout) -> list[tuple[Any, FieldLayout]]:
    """The fields of a message and of all structs in it, each with the object that has it."""
    found = [(message, field) for field in (*layout.fields, *layout.tagged)]
    for owner, field in list(found):
        held = getattr(owner, field.name)
        if isinstance(field.kind, StructLayout) and held is not None:
            for inner in held if field.array else [held]:
                found += fields_of(inner, field.kind)
    return found
