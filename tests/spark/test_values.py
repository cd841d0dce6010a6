"""Values in Avro, into typed columns."""

import io
import json

import fastavro
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import Column, SparkSession

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


def _expression(text: str) -> Column:
    from pyspark.sql import functions as f

    return f.expr(text)
