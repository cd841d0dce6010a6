"""Values in Avro and Protocol Buffers, into typed columns."""

import io
import json
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import fastavro
import pytest
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.protobuf import ProtobufSerializer
from confluent_kafka.serialization import MessageField, SerializationContext
from pyspark.errors import PySparkException
from pyspark.sql import Column, SparkSession

from barnabas.spark.values.protobuf_schema import protobuf_message
from tests.descriptors import ANIMALS
from tests.registry_double import registry_double
from tests.spark.running import numbers_in, run_available, to_files
from tests.spark.topics import Given, Topics

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]

SCHEMA = {
    "type": "record",
    "name": "Sound",
    "fields": [
        {"name": "sound", "type": "string"},
        {"name": "loud", "type": ["null", "double"]},
        {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        {"name": "tags", "type": {"type": "map", "values": "int"}},
        {"name": "ears", "type": {"type": "array", "items": {"type": "record", "name": "Ear",
            "fields": [{"name": "left", "type": "boolean"}]}}},
    ],
}  # fmt: skip


def encoded(number: int, header: bytes = b"") -> bytes:
    out = io.BytesIO()
    row = {
        "sound": f"bark {number}",
        "loud": None if number % 3 == 0 else number / 2,
        "at": number * 1000,
        "tags": {"n": number},
        "ears": [{"left": True}] * (number % 3),
    }
    fastavro.schemaless_writer(out, fastavro.parse_schema(SCHEMA), row)
    return header + out.getvalue()


def test_avro_becomes_typed_columns(spark: SparkSession, topics: Topics) -> None:
    topic, header = topics.create(), b"\0\0\0\0\7"
    topics.send(topic, [Given(encoded(number, header), b"k") for number in range(500)])
    topics.send(topic, [Given(None, b"k")])
    avro = {"valueFormat": "avro", "valueSchema": json.dumps(SCHEMA), "valueSchemaId": 7}
    frame = topics.batch(spark, topic, **avro)
    found = frame.selectExpr("value.*").agg(
        *map(_expression, ("count(sound)", "count(loud)", "sum(loud)", "sum(size(ears))")),
        *map(_expression, ("sum(tags['n'])", "sum(unix_millis(at))")),
    )
    numbers = range(500)
    loud = [number / 2 for number in numbers if number % 3]
    ears, total = sum(number % 3 for number in numbers), sum(numbers)
    assert tuple(found.collect()[0]) == (500, len(loud), sum(loud), ears, total, 1000 * total)
    assert frame.where("value IS NULL").count() == 1
    topics.send(topic, [Given(encoded(1, b"\0\0\0\0\x08"))])
    says = f"BARNABAS_VALUE. {topic}-0, offset 501: the value has schema 8, 'valueSchemaId' says 7"
    with pytest.raises(PySparkException, match=says):
        topics.batch(spark, topic, **avro).collect()
    kept = topics.batch(spark, topic, **avro, badRecords="null")
    assert kept.where("value IS NULL").count() == 2


EVERYTHING = {
    "type": "record",
    "name": "Everything",
    "fields": [
        {"name": "flag", "type": "boolean"},
        {"name": "whole", "type": "int"},
        {"name": "long", "type": "long"},
        {"name": "single", "type": "float"},
        {"name": "raw", "type": ["null", "bytes"]},
        {"name": "kind", "type": {"type": "enum", "name": "Kind", "symbols": ["DOG", "CAT"]}},
        {"name": "chip", "type": {"type": "fixed", "name": "Chip", "size": 3}},
        {"name": "day", "type": {"type": "int", "logicalType": "date"}},
        {"name": "clock", "type": {"type": "int", "logicalType": "time-millis"}},
        {"name": "id", "type": {"type": "string", "logicalType": "uuid"}},
        {"name": "at", "type": {"type": "long", "logicalType": "timestamp-micros"}},
        {"name": "local", "type": {"type": "long", "logicalType": "local-timestamp-millis"}},
        {"name": "price", "type": {"type": "bytes", "logicalType": "decimal",
            "precision": 12, "scale": 3}},
        {"name": "fee", "type": {"type": "fixed", "name": "Fee", "size": 16,
            "logicalType": "decimal", "precision": 38, "scale": 0}},
        {"name": "wide", "type": ["int", "long"]},
        {"name": "real", "type": ["null", "float", "double"]},
        {"name": "either", "type": ["null", "string", "int", {"type": "array", "items": "long"}]},
        {"name": "deep", "type": {"type": "map", "values": {"type": "array", "items": SCHEMA}}},
    ],
}  # fmt: skip


@pytest.mark.java
@pytest.mark.long
def test_types_and_values_are_those_of_sparks_own_from_avro(
    spark: SparkSession, topics: Topics
) -> None:
    from pyspark.sql.avro.functions import from_avro

    parsed = fastavro.parse_schema(EVERYTHING)
    eithers = [None, "text", 7, [1, 2]]
    rows: list[dict[str, Any]] = [
        {"flag": True, "whole": -at, "long": 2**40 * at, "single": at / 4, "raw": None if at % 2 else b"x",
         "kind": "CAT", "chip": b"abc", "day": at * 1000, "clock": at, "id": str(UUID(int=at)),
         "at": at * 10**12 + 1, "local": -at * 10**9, "price": Decimal(at * 1001 - 3000) / 1000,
         "fee": Decimal(10**37 * (at - 4)), "wide": at, "real": None if at % 3 else at / 8,
         "either": eithers[at % 4],
         "deep": {"a": [], "b": [{"sound": "s", "loud": None, "at": at, "tags": {}, "ears": []}]}}
        for at in range(9)
    ]  # fmt: skip
    encoded = []
    for row in rows:
        out = io.BytesIO()
        fastavro.schemaless_writer(out, parsed, row)
        encoded.append(out.getvalue())
    topic = topics.create()
    topics.send(topic, [Given(raw) for raw in encoded])
    schema = json.dumps(EVERYTHING)
    ours = topics.batch(spark, topic, valueFormat="avro", valueSchema=schema).select("value.*")
    theirs = topics.batch(spark, topic).select(from_avro("value", schema).alias("v")).select("v.*")
    assert [(each.name, each.dataType.simpleString()) for each in ours.schema] == [
        (each.name, each.dataType.simpleString()) for each in theirs.schema
    ]
    assert ours.collect() == theirs.collect()


def test_messages_of_a_registry_and_bad_records_to_a_topic(
    spark: SparkSession, topics: Topics, checkpoint: str, tmp_path: Path
) -> None:
    """Written by Confluent's own serializer; what is no such message is found with its reason."""
    topic, bad = topics.create(2), topics.create(name="bad-sounds")
    made = protobuf_message(ANIMALS, "animals.Sound").made
    with registry_double() as double:
        client = SchemaRegistryClient({"url": double.url})
        write = ProtobufSerializer(made, client, {"use.deprecated.format": False})
        context = SerializationContext(topic, MessageField.VALUE)
        good = [write(made(name=f"dog {at}", age=at + 1), context) for at in range(100)]
        topics.send(topic, [Given(raw, b"k", at % 2) for at, raw in enumerate(good)])
        topics.send(topic, [Given(b"no message", b"key", 1, 1234, [("h", b"1"), ("n", None)])])
        topics.send(topic, [Given(good[0], None, 1), Given(b"", None, 0)])
        options = {"valueFormat": "protobuf", "schemaRegistryUrl": double.url}
        aside = {"badRecords": "topic", "badRecordsTopic": bad, "startingOffsets": "earliest"}
        frame = topics.stream(spark, topic, **options, **aside).load()
        run_available(
            to_files(frame.selectExpr("value.age AS value"), tmp_path / "out", checkpoint)
        )
        assert numbers_in(tmp_path / "out") == sorted([*range(1, 101), 1])
        kept = topics.batch(spark, topic, **options, badRecords="null")
        assert kept.where("value IS NULL").count() == 2
    letters = {(each.value() or b""): each for each in topics.all_of(bad)}
    assert set(letters) == {b"no message", b""}
    letter = letters[b"no message"]
    assert (letter.key(), letter.timestamp()[1]) == (b"key", 1234)
    assert letter.headers() == [
        ("h", b"1"),
        ("n", None),
        ("__connect.errors.topic", topic.encode()),
        ("__connect.errors.partition", b"1"),
        ("__connect.errors.offset", b"50"),
        (
            "__connect.errors.exception.message",
            b"the value does not begin with 0 and the id of a schema",
        ),
    ]


def _expression(text: str) -> Column:
    from pyspark.sql import functions as f

    return f.expr(text)
