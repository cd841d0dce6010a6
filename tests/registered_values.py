"""Values with a registry's header, written by Confluent's own serializers and decoded by ours."""

import json
from typing import Any

import pyarrow as pa
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroSerializer
from confluent_kafka.schema_registry.protobuf import ProtobufSerializer
from confluent_kafka.serialization import MessageField, SerializationContext

from barnabas.spark.options.formats import read_formats
from barnabas.spark.options.option_values import Options
from barnabas.spark.values.decoded import Decoded
from barnabas.spark.values.protobuf_schema import protobuf_message
from tests.descriptors import ANIMALS


def avro_by(url: str, schema: Any, value: Any, topic: str = "sounds") -> bytes:
    """A value as a producer to `topic` writes it; its schema is registered."""
    context = SerializationContext(topic, MessageField.VALUE)
    with SchemaRegistryClient({"url": url}) as client:
        raw = AvroSerializer(client, json.dumps(schema))(value, context)
    assert isinstance(raw, bytes)
    return raw


def protobuf_by(url: str, kind: str, topic: str = "sounds", **fields: Any) -> bytes:
    """A message of `descriptors.ANIMALS`, likewise."""
    made = protobuf_message(ANIMALS, kind).made
    context = SerializationContext(topic, MessageField.VALUE)
    with SchemaRegistryClient({"url": url}) as client:
        serialize = ProtobufSerializer(made, client, {"use.deprecated.format": False})
        raw = serialize(made(**fields), context)
    assert isinstance(raw, bytes)
    return raw


def decoded_by(url: str, raw: list[Any], **options: str) -> Decoded:
    """What a query with these options makes of values of the topic "sounds"."""
    given = {"subscribe": "sounds", "schemaRegistryUrl": url} | options
    values = read_formats(Options(given)).values
    assert values is not None
    found = values.decode(pa.array(raw, pa.binary()))
    found.column.validate(full=True)
    assert found.column.is_null().to_pylist() == [
        row in found.bad or each is None for row, each in enumerate(raw)
    ]
    return found
