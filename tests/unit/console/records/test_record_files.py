"""Records as files that are read by people."""

import csv
import io
import json

from barnabas.console.decoding.schemas import SchemaReader
from barnabas.console.records.record_files import CommaSeparated
from barnabas.records.columns.record import Record
from barnabas.runtime.clock import SystemClock
from barnabas.runtime.registries.schema_registry import SchemaRegistryClient
from tests.registered_values import avro_by
from tests.registry_double import registry_double

DOG = {"type": "record", "name": "Dog", "fields": [{"name": "tag", "type": "bytes"}]}


def test_values_with_a_schema_are_json_in_a_table() -> None:
    with registry_double() as double:
        avro = avro_by(double.url, DOG, {"tag": b"\xff"})
        schemas = SchemaReader(SchemaRegistryClient.at(double.url, None), SystemClock())
        values = [avro, b"\0\0\0\0\x63\xff", b"woof", None]
        records = [Record("dogs", 0, at, 0, 0, None, one) for at, one in enumerate(values)]
        text = CommaSeparated(schemas).add(records).decode()
    framed, unknown, plain, null = csv.DictReader(io.StringIO(text))
    assert json.loads(framed["value"]) == {"tag": "ff"}
    assert unknown["value"] == "base64:AAAAAGP/"
    assert plain["value"] == "woof"
    assert null["value"] == ""
