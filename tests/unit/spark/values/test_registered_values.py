"""Values with a registry's header, written by Confluent's own serializers."""

import json
from typing import Any

import pyarrow as pa
import pytest
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroSerializer
from confluent_kafka.schema_registry.protobuf import ProtobufSerializer
from confluent_kafka.serialization import MessageField, SerializationContext

from barnabas.spark.errors import Unreachable
from barnabas.spark.options.formats import read_formats
from barnabas.spark.options.option_values import Options
from barnabas.spark.values.decoded import Decoded
from barnabas.spark.values.protobuf_schema import protobuf_message
from tests.descriptors import ANIMALS
from tests.registry_double import RegistryDouble, registry_double

OLD = {"type": "record", "name": "Sound", "fields": [{"name": "sound", "type": "string"}]}
NEW = OLD | {"fields": [*OLD["fields"], {"name": "loud", "type": "int", "default": 1}]}
OTHER = {"type": "record", "name": "Smell", "fields": [{"name": "strong", "type": "int"}]}
CONTEXT = SerializationContext("sounds", MessageField.VALUE)


def avro(double: RegistryDouble, schema: Any, value: Any, topic: str = "sounds") -> bytes:
    client = SchemaRegistryClient({"url": double.url})
    raw = AvroSerializer(client, json.dumps(schema))(
        value, SerializationContext(topic, MessageField.VALUE)
    )
    assert isinstance(raw, bytes)
    return raw


def protobuf(double: RegistryDouble, kind: str, **fields: Any) -> bytes:
    made = protobuf_message(ANIMALS, kind).made
    client = SchemaRegistryClient({"url": double.url})
    raw = ProtobufSerializer(made, client, {"use.deprecated.format": False})(
        made(**fields), CONTEXT
    )
    assert isinstance(raw, bytes)
    return raw


def decoded(double: RegistryDouble, raw: list[Any], **options: str) -> Decoded:
    given = {"subscribe": "sounds", "schemaRegistryUrl": double.url} | options
    values = read_formats(Options(given)).values
    assert values is not None
    found = values.decode(pa.array(raw, pa.binary()))
    found.column.validate(full=True)
    assert found.column.is_null().to_pylist() == [
        row in found.bad or each is None for row, each in enumerate(raw)
    ]
    return found


def test_each_value_is_read_by_the_schema_it_was_written_by() -> None:
    with registry_double() as double:
        raw = [
            avro(double, OLD, {"sound": "old"}),
            None,
            avro(double, NEW, {"sound": "new", "loud": 7}),
            avro(double, OTHER, {"strong": 1}, "smells"),
            b"\0\0\0\0\x63rest",
            b"text",
            avro(double, OLD, {"sound": "x"})[:-1],
        ]
        found = decoded(double, raw, valueFormat="avro")
        rows = found.column.to_pylist()
        asked = len(double.asked)
        again = decoded(double, raw[:3], valueFormat="avro")
        assert len(double.asked) == asked + 1, "the latest schema of the subject only"
    assert rows[:3] == [{"sound": "old", "loud": 1}, None, {"sound": "new", "loud": 7}]
    assert again.column.to_pylist() == rows[:3]
    assert found.bad == [3, 4, 5, 6]
    why = [found.why(row) for row in found.bad]
    assert "schema 3, which 'valueSchema' cannot read: .sound was not written" in why[0]
    assert "schema 99, which cannot be read by: " in why[1]
    assert "does not begin with 0" in why[2]
    assert "is not what schema 1 says" in why[3]


def test_a_schema_to_read_by_may_be_given() -> None:
    with registry_double() as double:
        raw = [avro(double, OLD, {"sound": "old"})]
        schema = {"type": "record", "name": "S", "fields": [
            {"name": "called", "type": "string", "aliases": ["sound"]}]}  # fmt: skip
        found = decoded(double, raw, valueFormat="avro", valueSchema=json.dumps(schema))
    assert found.column.to_pylist() == [{"called": "old"}]


def test_a_schema_of_several_subjects() -> None:
    kind = {"type": "enum", "name": "Kind", "symbols": ["DOG"]}
    sound = {"type": "record", "name": "Sound", "fields": [{"name": "kind", "type": "Kind"}]}
    with registry_double() as double:
        double.register("kind", {"schema": json.dumps(kind)})
        reference = {"name": "Kind", "subject": "kind", "version": 1}
        double.register("own", {"schema": json.dumps(sound), "references": [reference]})
        found = decoded(double, [b"\0\0\0\0\2\0"], valueFormat="avro", valueSubject="own")
    assert found.column.to_pylist() == [{"kind": "DOG"}]


def test_messages_of_a_registry() -> None:
    with registry_double() as double:
        raw = [
            protobuf(double, "animals.Sound", name="rex", age=3),
            None,
            protobuf(double, "animals.Smell", strength=1),
            b"\0\0\0\0\1\2\x63",
            b"\0\0\0\0\1",
            b"\0\0\0\0\x63\0",
            b"text",
            b"\0\0\0\0\1\0\xff",
        ]
        found = decoded(double, raw, valueFormat="protobuf")
        smell = decoded(double, raw[2:3], valueFormat="protobuf", messageName="Smell")
    (sound, *_) = found.column.to_pylist()
    assert (sound["name"], sound["age"]) == ("rex", 3)
    assert smell.column.to_pylist() == [{"strength": 1}]
    assert found.bad == [2, 3, 4, 5, 6, 7]
    why = [found.why(row) for row in found.bad]
    assert why[0] == "the value is a message animals.Smell, not animals.Sound"
    assert "it has no message [-50]" in why[1]
    assert "ends within its message indexes" in why[2]
    assert "/schemas/ids/99?format=serialized is not there" in why[3]
    assert "does not begin with 0" in why[4]
    assert "is no message animals.Sound" in why[5]


def test_a_registry_that_is_gone_is_no_bad_value() -> None:
    with registry_double() as double:
        raw = avro(double, OLD, {"sound": "old"})
        given = Options({"subscribe": "sounds", "schemaRegistryUrl": double.url}
                        | {"valueFormat": "avro", "valueSchema": json.dumps(OLD)})  # fmt: skip
        values = read_formats(given).values
    assert values is not None
    with pytest.raises(Unreachable):
        values.decode(pa.array([raw]))
