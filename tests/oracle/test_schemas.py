"""Our declarations against the schemas that kafka-python brings: two readings of one protocol."""

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kafka.protocol.api_data import ApiData
from kafka.protocol.api_message import ApiMessage
from kafka.protocol.consumer import metadata as consumer_protocol
from kafka.protocol.schemas.load_json import load_json

from barnabas.protocol.declared import DECLARED
from barnabas.versions import VersionRange
from barnabas.wire.compiler import Codec
from barnabas.wire.layout import FieldLayout, StructLayout, layout_of
from barnabas.wire.schema import Blob, RecordSet, Text, declaration_of
from tests.declarations import every_message
from tests.property.strategies.messages import messages

CODES = {
    "int8": "b",
    "int16": "h",
    "int32": "i",
    "int64": "q",
    "uint16": "H",
    "uint32": "I",
    "float64": "d",
    "bool": "?",
    "uuid": "16s",
}


KINDS: dict[type, str] = {Text: "string", Blob: "bytes", RecordSet: "records"}


assert consumer_protocol  # declares its classes when it is imported

FORMER_NAMES = {"generationidormemberepoch": "generationid"}
"""Names that a later release of Kafka gave to a field; kafka-python has the former ones."""


class Shape(NamedTuple):
    """One field as a version has it on the wire."""

    name: str
    kind: str
    array: bool
    nullable: bool
    tag: int | None
    fields: tuple["Shape", ...]


def our_shape(layout: StructLayout) -> tuple[Shape, ...]:
    return tuple(our_field(field) for field in (*layout.fields, *layout.tagged))


def our_field(field: FieldLayout) -> Shape:
    name = called(field.name.replace("_", ""))
    inner: tuple[Shape, ...] = ()
    if isinstance(field.kind, StructLayout):
        kind, inner = "struct", our_shape(field.kind)
    else:
        kind = KINDS.get(type(field.kind), "") or getattr(field.kind, "code", "")
    return Shape(name, kind, field.array, field.nullable, field.tag, inner)


def called(name: str) -> str:
    """The name that both sides know."""
    return FORMER_NAMES.get(name, name)


def their_shape(fields: list[dict[str, Any]], version: int) -> tuple[Shape, ...]:
    shapes = [their_field(f, version) for f in fields if in_range(f["versions"], version)]
    plain = [shape for shape in shapes if shape.tag is None]
    tagged = [shape for shape in shapes if shape.tag is not None]
    return (*plain, *sorted(tagged, key=lambda shape: shape.tag or 0))


def their_field(field: dict[str, Any], version: int) -> Shape:
    array = field["type"].startswith("[]")
    base = field["type"].removeprefix("[]")
    inner = their_shape(field["fields"], version) if "fields" in field else ()
    kind = "struct" if "fields" in field else CODES.get(base, base)
    tagged = in_range(field.get("taggedVersions", "none"), version)
    return Shape(
        called(field["name"].lower()),
        kind,
        array,
        in_range(field.get("nullableVersions", "none"), version),
        field["tag"] if tagged else None,
        inner,
    )


def in_range(text: str, version: int) -> bool:
    return version in VersionRange.parse(text)


def schema_of(name: str) -> dict[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        schema: dict[str, Any] = load_json(name)
        return schema


def their_versions(name: str) -> VersionRange:
    """The versions of a message that they have a schema of; none where there is no schema."""
    try:
        return VersionRange.parse(schema_of(name)["validVersions"])
    except FileNotFoundError:
        return VersionRange(0, -1)


def every_version(*, theirs: bool) -> Iterator[Any]:
    """The versions of all messages that they have a schema of, or those that they have none of."""
    for declared in every_message():
        known = their_versions(declared.__name__)
        for version in declaration_of(declared).versions:
            if (version in known) == theirs:
                yield pytest.param(declared, version, id=f"{declared.__name__}-{version}")


COMMON_VERSIONS = list(every_version(theirs=True))
OUR_OWN_VERSIONS = list(every_version(theirs=False))


@pytest.mark.parametrize(("declared", "version"), COMMON_VERSIONS)
def test_our_declarations_have_the_shape_of_theirs(declared: type, version: int) -> None:
    schema = schema_of(declared.__name__)
    ours = layout_of(declared, version, declaration_of(declared).encoding(version))
    assert our_shape(ours) == their_shape(schema["fields"], version)
    assert ours.encoding.compact == in_range(schema["flexibleVersions"], version)


def text_of(shapes: tuple[Shape, ...]) -> str:
    """Fields as shapes.txt has them: name:kind, [] for arrays, ? for null, # for the tag."""
    texts = []
    for one in shapes:
        kind = f"({text_of(one.fields)})" if one.kind == "struct" else one.kind
        tag = "" if one.tag is None else f"#{one.tag}"
        texts.append(f"{one.name}:{'[]' * one.array}{kind}{'?' * one.nullable}{tag}")
    return " ".join(texts)


def written_down() -> Iterator[tuple[tuple[str, int], str]]:
    for line in (Path(__file__).parent / "shapes.txt").read_text().splitlines():
        if not line.startswith("#"):
            message, _, shape = line.partition(" |")
            name, versions = message.split()
            for version in VersionRange.parse(versions):
                yield (name, version), shape.strip()


WRITTEN_DOWN = dict(written_down())


@pytest.mark.parametrize(("declared", "version"), OUR_OWN_VERSIONS)
def test_the_others_have_the_shape_that_is_written_down(declared: type, version: int) -> None:
    ours = layout_of(declared, version, declaration_of(declared).encoding(version))
    text = ("flexible " if ours.encoding.compact else "") + text_of(our_shape(ours))
    assert text.strip() == WRITTEN_DOWN[declared.__name__, version]


def their_class(declared: type) -> Any:
    bases: tuple[type, ...] = (ApiMessage, ApiData)
    found = [
        each for base in bases for each in _subclasses(base) if each.__name__ == declared.__name__
    ]
    assert found, f"kafka-python has no class {declared.__name__}"
    return found[0]


def _subclasses(base: type) -> Iterator[type]:
    each: type
    for each in type.__subclasses__(base):
        yield each
        yield from _subclasses(each)


@pytest.mark.parametrize(("declared", "version"), COMMON_VERSIONS)
@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_they_read_what_we_write_and_write_the_same(
    declared: type, version: int, data: st.DataObject
) -> None:
    written = Codec.of(declared, version).encode(data.draw(messages(declared, version)))
    known = their_class(declared)
    if issubclass(known, ApiData):
        theirs = known.decode(written, version=version, header=False)
        assert theirs.encode(version=version, header=False) == written
        return
    # Not known.decode: that of ApiVersions takes every error for an answer in version 0.
    theirs = ApiMessage.decode.__func__(known, written, version=version)
    theirs._header = None  # their decoder leaves it unset, and their encoder asks for it
    assert bytes(theirs.encode(version=version)) == written


def test_all_their_versions_are_known_to_us() -> None:
    missing = {}
    for api in DECLARED.values():
        last = their_versions(api.request.__name__).last
        if last > api.versions.last:
            missing[api.name] = last
    assert missing == {}
