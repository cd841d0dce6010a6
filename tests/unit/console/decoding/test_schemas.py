"""Values with a registry's header, written by Confluent's own serializers."""

import io
import json

import fastavro
import pytest

from barnabas.console.decoding.schemas import SchemaReader, SchemaUnusable
from barnabas.console.decoding.value_view import ValueDecoder
from barnabas.ports import Clock
from barnabas.runtime.clock import SystemClock
from barnabas.runtime.registries.schema_registry import SchemaRegistryClient
from tests.registered_values import avro_by, protobuf_by
from tests.registry_double import registry_double

DOG = {
    "type": "record",
    "name": "Dog",
    "fields": [{"name": "name", "type": "string"}, {"name": "tag", "type": "bytes"}],
}


class Watch(SystemClock):
    """A clock that stands."""

    now = 100.0

    def monotonic(self) -> float:
        return self.now


def reader_of(address: str, clock: Clock | None = None) -> SchemaReader:
    return SchemaReader(SchemaRegistryClient.at(address, None), clock or SystemClock())


def test_avro_by_the_schema_of_its_header() -> None:
    with registry_double() as double:
        raw = avro_by(double.url, DOG, {"name": "rex", "tag": b"\xff"})
        reader = reader_of(double.url)
        document, name = reader.decode(raw)
        assert document == {"name": "rex", "tag": b"\xff"}
        assert name == "Avro, schema 1"
        found = ValueDecoder(schemas=reader).view(raw, 100)
        assert found is not None
        assert found.text == '{"name": "rex", "tag": "ff"}'
        assert double.asked.count("/schemas/ids/1") == 1
        with pytest.raises(SchemaUnusable, match="does not fit schema 1"):
            reader.decode(raw[:6])


def test_a_time_that_python_does_not_have_is_no_value_of_the_schema() -> None:
    moment = {"type": "long", "logicalType": "timestamp-millis"}
    with registry_double() as double:
        double.register("moments", {"schema": json.dumps(moment)})
        reader = reader_of(double.url)
        raw = io.BytesIO()
        fastavro.schemaless_writer(raw, "long", 2**62)
        with pytest.raises(SchemaUnusable, match="does not fit schema 1"):
            reader.decode(b"\0\0\0\0\1" + raw.getvalue())


def test_a_schema_that_cannot_be_parsed_says_so() -> None:
    inner = {"type": "record", "name": "Dog", "fields": []}
    twice = inner | {"fields": [{"name": "puppy", "type": inner}]}
    with registry_double() as double:
        double.register("odd", {"schema": json.dumps(twice)})
        reader = reader_of(double.url)
        with pytest.raises(SchemaUnusable, match="its schema cannot be parsed"):
            reader.decode(b"\0\0\0\0\1x")


def test_a_message_of_protocol_buffers() -> None:
    with registry_double() as double:
        raw = protobuf_by(double.url, "Sound", name="barks")
        reader = reader_of(double.url)
        document, name = reader.decode(raw)
        assert document["name"] == "barks"
        assert name == "Protocol Buffers, schema 1"


def test_what_cannot_be_read_says_why() -> None:
    with registry_double() as double:
        double.register("json", {"schema": "{}", "schemaType": "JSON"})
        double.register("odd", {"schema": "{}", "schemaType": "ODD"})
        reader = reader_of(double.url)
        assert reader.decode(b'\0\0\0\0\1{"a":1}') == ({"a": 1}, "JSON, schema 1")
        for raw, why in [
            (b"plain", "does not begin with 0"),
            (b"\0\0\0\0\x02x", "is of the kind ODD"),
            (b"\0\0\0\0\x09x", "is not there"),
            (b"\0\0\0\0\x01{", "does not fit schema 1"),
        ]:
            with pytest.raises(SchemaUnusable, match=why):
                reader.decode(raw)
    silent = reader_of("http://127.0.0.1:1")
    found = ValueDecoder("schema", silent).view(b"\0\0\0\0\1x", 100)
    assert found is not None
    assert "127.0.0.1:1" in found.problem
    assert found.shown_as == "hex"


def test_what_a_registry_did_not_give_is_not_asked_for_again_at_once() -> None:
    clock = Watch()
    with registry_double() as double:
        reader = reader_of(double.url, clock)
        for _ in range(500):
            with pytest.raises(SchemaUnusable, match="schema 1: .* is not there"):
                reader.decode(b"\0\0\0\0\1x")
        assert len(double.asked) == 1
        double.register("json", {"schema": "{}", "schemaType": "JSON"})
        clock.now += 10
        assert reader.decode(b"\0\0\0\0\1{}") == ({}, "JSON, schema 1")


def test_a_registry_that_does_not_answer_is_not_asked_for_another_schema_at_once() -> None:
    clock = Watch()
    with registry_double("rex:bone") as double:
        double.register("json", {"schema": "{}", "schemaType": "JSON"})
        reader = reader_of(double.url, clock)
        for number in range(1, 500):
            with pytest.raises(SchemaUnusable, match=f"schema {number}: no schema could be had"):
                reader.decode(b"\0" + number.to_bytes(4, "big") + b"x")
        assert len(double.asked) == 1
        double.expected = None
        clock.now += 10
        assert reader.decode(b"\0\0\0\0\1{}") == ({}, "JSON, schema 1")
