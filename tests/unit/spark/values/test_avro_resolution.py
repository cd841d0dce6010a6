"""Values of one Avro schema read by another, against what fastavro, which we did not write, reads."""

import io
import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import fastavro
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from barnabas.spark.values.avro_resolution import resolved
from barnabas.spark.values.avro_schema import avro_schema
from barnabas.spark.values.avro_values import AvroValues


def record(*fields: dict[str, Any], name: str = "Sound") -> dict[str, Any]:
    return {"type": "record", "name": name, "fields": list(fields)}


def field(name: str, kind: Any, **more: Any) -> dict[str, Any]:
    return {"name": name, "type": kind, **more}


OWNER = record(field("name", "string"), field("years", {"type": "array", "items": "int"}))
OLD = record(
    field("name", "string"),
    field("age", "int"),
    field("gone", {"type": "map", "values": "string"}),
    field("weight", ["null", "float"]),
    field("owner", ["null", OWNER | {"name": "Owner"}]),
    field("homes", {"type": "map", "values": "int"}),
)
LATER = record(
    field("homes", {"type": "map", "values": "long"}),
    field("called", "string", aliases=["title", "name"]),
    field("age", ["null", "long"], default=None),
    field("weight", ["null", "double"]),
    field("loud", "boolean", default=True),
    field("tags", {"type": "array", "items": "string"}, default=["none"]),
    field("size", {"type": "map", "values": "int"}, default={"a": 1}),
    field("maybe", ["null", "string"], default=None),
    field("vet", record(field("since", "long", default=7), name="Vet"), default={"since": 3}),
    field("owner", ["null", record(field("years", {"type": "array", "items": "double"}),
        field("city", "string", default="?"), name="Owner")], default=None),
)  # fmt: skip

SOUNDS = st.fixed_dictionaries(
    {
        "name": st.text(max_size=5),
        "age": st.integers(-(2**31), 2**31 - 1),
        "gone": st.dictionaries(st.text(max_size=3), st.text(max_size=3), max_size=2),
        "weight": st.none() | st.floats(width=32, allow_nan=False),
        "owner": st.none()
        | st.fixed_dictionaries(
            {"name": st.text(max_size=3), "years": st.lists(st.integers(0, 9), max_size=3)}
        ),
        "homes": st.dictionaries(st.text(max_size=3), st.integers(0, 9), max_size=2),
    }
)


def encoded(schema: Any, value: Any) -> bytes:
    out = io.BytesIO()
    fastavro.schemaless_writer(out, fastavro.parse_schema(schema), value)
    return out.getvalue()


def ours(writer: Any, reader: Any, raw: list[bytes]) -> list[Any]:
    written, read = avro_schema(json.dumps(writer)), avro_schema(json.dumps(reader))
    column = AvroValues(pa.array(raw, pa.binary())).decode(written)
    found = resolved(column, written, read)
    found.validate(full=True)
    assert isinstance(found, pa.Array)
    rows: list[Any] = found.to_pylist()
    return rows


def theirs(writer: Any, reader: Any, raw: bytes) -> Any:
    return fastavro.schemaless_reader(
        io.BytesIO(raw), fastavro.parse_schema(writer), fastavro.parse_schema(reader)
    )


def plain(value: Any) -> Any:
    """Arrow gives maps as lists of pairs."""
    return value | {"homes": dict(value["homes"]), "size": dict(value["size"])}


@given(st.lists(SOUNDS, max_size=6))
def test_a_later_schema_reads_what_an_older_one_wrote(sounds: list[Any]) -> None:
    raw = [encoded(OLD, each) for each in sounds]
    found = ours(OLD, LATER, raw)
    assert [plain(each) for each in found] == [theirs(OLD, LATER, each) for each in raw]


@pytest.mark.parametrize(
    ("writer", "reader", "values"),
    [
        ("int", "long", [1, -1]),
        ("int", "float", [1, -1]),
        ("long", "double", [2**40]),
        ("string", "bytes", ["dog", ""]),
        ("bytes", "string", [b"dog", b""]),
        ("int", ["null", "long"], [3]),
        (["null", "int"], ["null", "double"], [3, None]),
        (
            {"type": "array", "items": "int"},
            {"type": "array", "items": ["null", "long"]},
            [[1], []],
        ),
        (["int", "long"], "double", [3]),
    ],
)
def test_types_that_are_read_as_others(writer: Any, reader: Any, values: list[Any]) -> None:
    raw = [encoded(writer, each) for each in values]
    assert ours(writer, reader, raw) == [theirs(writer, reader, each) for each in raw]


def test_branches_of_a_union_find_their_places() -> None:
    raw = [encoded(["int", "null", "string"], each) for each in (3, None, "dog")]
    assert ours(["int", "null", "string"], ["null", "string", "boolean", "long"], raw) == [
        {"member0": None, "member1": None, "member2": 3},
        None,
        {"member0": "dog", "member1": None, "member2": None},
    ]
    assert ours("int", ["string", "long"], [encoded("int", 5)]) == [{"member0": None, "member1": 5}]
    assert ours(["null", "int", "string"], ["null", "string", "bytes", "int"], []) == []


def test_defaults_in_bytes() -> None:
    """(fastavro leaves them as text.)"""
    price = {"type": "bytes", "logicalType": "decimal", "precision": 5, "scale": 2}
    time = {"type": "long", "logicalType": "timestamp-millis"}
    reader = record(
        field("a", "int"),
        field("chip", {"type": "fixed", "name": "Chip", "size": 2}, default="\u0000\u00ff"),
        field("price", price, default="\u00ff"),
        field("at", time, default=1000),
        field("either", ["string", "int"], default="dog"),
    )
    (found,) = ours(record(field("a", "int")), reader, [b"\2"])
    assert found == {
        "a": 1,
        "chip": b"\0\xff",
        "price": Decimal("-0.01"),
        "at": datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC),
        "either": {"member0": "dog", "member1": None},
    }


@pytest.mark.parametrize(
    ("writer", "reader", "says"),
    [
        ("string", "int", "it was written as string, which cannot be read as int"),
        (record(field("a", "int")), record(field("b", "int")), r"\.b was not written"),
        (record(field("a", "int")), record(field("a", "int"), field("b", "int", default="x")),
         r"\.b has a default that is not of its type"),
        (record(field("a", {"type": "map", "values": "long"})),
         record(field("a", {"type": "map", "values": "int"})), r"\.a{} was written as long"),
        (["int", "string"], ["boolean", "int"], "written as string, which is none of boolean, int"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_says_where(writer: Any, reader: Any, says: str) -> None:
    # Of one row, as defaults are made for each.
    written, read = avro_schema(json.dumps(writer)), avro_schema(json.dumps(reader))
    column = AvroValues(pa.array([b"\0\0\0\0"])).decode(written)
    with pytest.raises(ValueError, match=says):
        resolved(column, written, read)
