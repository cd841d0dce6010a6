"""Filters on values that a schema registry describes."""

import asyncio
import datetime as dt
import json

from barnabas.console.decoding.schemas import SchemaReader
from barnabas.console.records.record_filter import filter_of
from barnabas.records.columns.record import Record
from barnabas.runtime.clock import SystemClock
from barnabas.runtime.registries.schema_registry import SchemaRegistryClient
from tests.registered_values import avro_by
from tests.registry_double import registry_double

DOG = {
    "type": "record",
    "name": "Dog",
    "fields": [
        {"name": "n", "type": "int"},
        {"name": "tag", "type": "bytes"},
        {"name": "born", "type": {"type": "int", "logicalType": "date"}},
    ],
}


def test_a_path_finds_what_the_page_shows() -> None:
    with registry_double() as double:
        born = dt.date(2013, 1, 1)
        avro = avro_by(double.url, DOG, {"n": 3, "tag": b"\xff", "born": born})
        number = double.register("json", {"schema": "{}", "schemaType": "JSON"})
        framed = b"\0" + number.to_bytes(4, "big") + json.dumps({"n": 3}).encode()
        unknown = b"\0\0\0\0\x63x"
        schemas = SchemaReader(SchemaRegistryClient.at(double.url, None), SystemClock())
        records = [
            Record("dogs", 0, at, 0, 0, None, value)
            for at, value in enumerate([avro, framed, b'{"n": 3}', unknown, b'{"n": 4}'])
        ]

        def offsets(text: str, reader: SchemaReader | None = schemas) -> list[int]:
            chosen = asyncio.run(filter_of({"json": text}, reader).chosen(records))
            return [one.offset for one, kept in zip(records, chosen, strict=True) if kept]

        assert offsets("n=3") == [0, 1, 2]
        assert offsets("tag=ff") == [0]
        assert offsets("born>=2013-01-01") == [0]
        assert offsets("n=3", None) == [2]
