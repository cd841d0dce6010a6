"""Values in Avro of a registry, written by Confluent's own serializer."""

import json

import pyarrow as pa
import pytest

from barnabas.spark.errors import Unreachable
from barnabas.spark.options.formats import read_formats
from barnabas.spark.options.option_values import Options
from barnabas.spark.values.avro_format import AvroFormat
from barnabas.spark.values.avro_schema import avro_schema
from tests.registered_values import avro_by, decoded_by
from tests.registry_double import registry_double

OLD = {"type": "record", "name": "Sound", "fields": [{"name": "sound", "type": "string"}]}
NEW = OLD | {"fields": [*OLD["fields"], {"name": "loud", "type": "int", "default": 1}]}
OTHER = {"type": "record", "name": "Smell", "fields": [{"name": "strong", "type": "int"}]}


def test_each_value_is_read_by_the_schema_it_was_written_by() -> None:
    with registry_double() as double:
        raw = [
            avro_by(double.url, OLD, {"sound": "old"}),
            None,
            avro_by(double.url, NEW, {"sound": "new", "loud": 7}),
            avro_by(double.url, OTHER, {"strong": 1}, "smells"),
            b"\0\0\0\0\x63rest",
            b"text",
            avro_by(double.url, OLD, {"sound": "x"})[:-1],
        ]
        found = decoded_by(double.url, raw, valueFormat="avro")
        rows = found.column.to_pylist()
        asked = len(double.asked)
        again = decoded_by(double.url, raw[:3], valueFormat="avro")
        assert len(double.asked) == asked + 1, "the latest schema of the subject only"
    assert rows[:3] == [{"sound": "old", "loud": 1}, None, {"sound": "new", "loud": 7}]
    assert again.column.to_pylist() == rows[:3]
    assert found.bad == [3, 4, 5, 6]
    why = [found.why(row) for row in found.bad]
    assert "schema 3, which 'valueSchema' cannot read: .sound was not written" in why[0]
    assert "schema 99, which cannot be read by: " in why[1]
    assert "does not begin with 0" in why[2]
    assert why[3].endswith("is not what schema 1 says, at field sound")


def test_a_bad_value_names_its_field() -> None:
    inner = {"type": "record", "name": "I", "fields": [{"name": "b", "type": ["null", "int"]}]}
    schema = {"type": "record", "name": "O", "fields": [
        {"name": "a", "type": "string"}, {"name": "in", "type": {"type": "array", "items": inner}},
    ]}  # fmt: skip
    raw = [b"\2x\2\2\6\0", b"\2", b"\2x\2\4", b"\2x\2\2\6\0more", None]
    found = AvroFormat(avro_schema(json.dumps(schema))).decode(pa.array(raw, pa.binary()))
    assert found.column.to_pylist() == [{"a": "x", "in": [{"b": 3}]}, *[None] * 4]
    assert [found.why(row).partition("says")[2] for row in found.bad] == [
        ", at field a", ", at field in.b", "",
    ]  # fmt: skip


def test_a_schema_to_read_by_may_be_given() -> None:
    with registry_double() as double:
        raw = [avro_by(double.url, OLD, {"sound": "old"})]
        schema = {"type": "record", "name": "S", "fields": [
            {"name": "called", "type": "string", "aliases": ["sound"]}]}  # fmt: skip
        found = decoded_by(double.url, raw, valueFormat="avro", valueSchema=json.dumps(schema))
    assert found.column.to_pylist() == [{"called": "old"}]


def test_a_schema_of_several_subjects() -> None:
    kind = {"type": "enum", "name": "Kind", "symbols": ["DOG"]}
    sound = {"type": "record", "name": "Sound", "fields": [{"name": "kind", "type": "Kind"}]}
    with registry_double() as double:
        double.register("kind", {"schema": json.dumps(kind)})
        reference = {"name": "Kind", "subject": "kind", "version": 1}
        double.register("own", {"schema": json.dumps(sound), "references": [reference]})
        found = decoded_by(double.url, [b"\0\0\0\0\2\0"], valueFormat="avro", valueSubject="own")
    assert found.column.to_pylist() == [{"kind": "DOG"}]


def test_a_registry_that_is_gone_is_no_bad_value() -> None:
    with registry_double() as double:
        raw = avro_by(double.url, OLD, {"sound": "old"})
        given = Options({"subscribe": "sounds", "schemaRegistryUrl": double.url}
                        | {"valueFormat": "avro", "valueSchema": json.dumps(OLD)})  # fmt: skip
        values = read_formats(given).values
    assert values is not None
    with pytest.raises(Unreachable):
        values.decode(pa.array([raw]))
