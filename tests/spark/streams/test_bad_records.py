"""Values of a registry, exactly once; bad ones put aside; the schema changes between two runs."""

import json
from typing import Any

import pytest
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroSerializer
from confluent_kafka.serialization import MessageField, SerializationContext
from pyspark.sql import SparkSession

from tests.registry_double import registry_double
from tests.spark.running import run_available
from tests.spark.topics import Given, Topics

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]

FIRST = {"type": "record", "name": "Sound", "fields": [{"name": "number", "type": "long"}]}
NOTE = {"name": "note", "type": ["null", "string"], "default": None}
SECOND = {**FIRST, "fields": [*FIRST["fields"], NOTE]}


def test_a_restart_writes_each_good_record_once_and_puts_each_bad_one_aside(
    spark: SparkSession, topics: Topics, checkpoint: str
) -> None:
    source, target, aside = topics.create(2), topics.create(2), topics.create()
    context = SerializationContext(source, MessageField.VALUE)
    with registry_double() as double:
        registry = SchemaRegistryClient({"url": double.url})

        def send(schema: object, *rows: dict[str, Any]) -> None:
            encode = AvroSerializer(registry, json.dumps(schema))
            topics.send(
                source, [Given(encode(row, context), None, at % 2) for at, row in enumerate(rows)]
            )

        def run() -> None:
            options = {
                "valueFormat": "avro",
                "schemaRegistryUrl": double.url,
                "maxOffsetsPerTrigger": "15",
            }
            bad = {"badRecords": "topic", "badRecordsTopic": aside, "startingOffsets": "earliest"}
            frame = topics.stream(spark, source, **options, **bad).load()
            run_available(
                frame.selectExpr("to_json(value) AS value")
                .writeStream.format("barnabas")
                .option("kafka.bootstrap.servers", topics.servers)
                .option("topic", target)
                .option("deliveryGuarantee", "exactly-once")
                .option("checkpointLocation", checkpoint)
            )

        send(FIRST, *({"number": at} for at in range(20)))
        topics.send(source, [Given(b"none", b"bad"), Given(b"\0\0\0\0\x63?", b"unknown", 1)])
        run()
        # The column gets the newer field; what the older schema wrote is read as well.
        send(SECOND, *({"number": at, "note": "new"} for at in range(20, 40)))
        send(FIRST, *({"number": at} for at in range(40, 50)))
        topics.send(source, [Given(b"\0\0\0\0\x01", b"cut")])
        run()
    rows = [json.loads(each.value() or b"") for each in topics.committed(target)]
    assert sorted(row["number"] for row in rows) == list(range(50))
    assert {row["number"] for row in rows if row.get("note")} == set(range(20, 40))
    assert sorted(each.key() for each in topics.all_of(aside)) == [b"bad", b"cut", b"unknown"]
