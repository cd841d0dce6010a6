"""Our declarations against those of kio, as record_kio.py wrote them down."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from barnabas.versions import VersionRange
from barnabas.wire.layout import FieldLayout, StructLayout, layout_of
from barnabas.wire.schema import NO_UUID, declaration_of
from tests.declarations import every_message
from tests.oracle.test_schemas import KINDS

FORMER_NAMES = {
    "acceptablerecoverylaglegacy": "acceptablerecoverylag",
    "generationidormemberepoch": "generationid",
}
"""Names that a later release of Kafka gave to a field; kio has the former ones, or both."""

NOT_DECLARED = {"RequestHeader", "ResponseHeader"}
"""What `headers` reads and writes by hand."""

OURS = {declared.__name__: declared for declared in every_message()}


def recorded() -> Iterator[Any]:
    for line in (Path(__file__).parent / "shapes_kio.txt").read_text().splitlines():
        if not line.startswith("#"):
            message, _, shape = line.partition(" |")
            name, versions = message.split()
            for version in VersionRange.parse(versions):
                for new, former in FORMER_NAMES.items():
                    shape = shape.replace(f"{new}:", f"{former}:")
                if name not in NOT_DECLARED:
                    yield pytest.param(name, version, shape.strip(), id=f"{name}-{version}")


@pytest.mark.parametrize(("name", "version", "shape"), list(recorded()))
def test_our_declarations_have_the_shape_of_theirs(name: str, version: int, shape: str) -> None:
    declared = OURS[name]
    layout = layout_of(declared, version, declaration_of(declared).encoding(version))
    flexible = ["flexible"] if layout.encoding.compact else []
    assert " ".join([*flexible, *texts(layout)]) == shape


def texts(layout: StructLayout) -> Iterator[str]:
    for field in (*layout.fields, *layout.tagged):
        name = field.name.replace("_", "").removesuffix("ms")
        if isinstance(field.kind, StructLayout):
            kind = f"({' '.join(texts(field.kind))})"
        else:
            kind = KINDS.get(type(field.kind), "") or getattr(field.kind, "code", "")
        null = "?" * field.nullable
        name = FORMER_NAMES.get(name, name)
        yield f"{name}:{'[]' * field.array}{kind}{null}{tag_of(field)}"


def tag_of(field: FieldLayout) -> str:
    """The number, and the default: a struct has none, as it is not there."""
    if field.tag is None:
        return ""
    if isinstance(field.kind, StructLayout) and not field.array:
        return f"#{field.tag}"
    default = field.make_default()
    return f"#{field.tag}={0 if default == NO_UUID else default!r}"
