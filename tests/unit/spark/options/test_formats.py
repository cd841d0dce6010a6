from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from barnabas.spark.errors import OptionError
from barnabas.spark.options.formats import Formats, read_formats
from barnabas.spark.options.option_values import Options
from barnabas.spark.options.read_options import read_options
from tests.descriptors import ANIMALS
from tests.registry_double import registry_double

AVRO = {"valueFormat": "avro", "valueSchema": '"int"'}
PROTOBUF = {"valueFormat": "protobuf", "messageName": "Sound"}


def formats(**options: Any) -> Formats:
    return read_formats(Options({"subscribe": "dogs"} | options))


def test_a_message_of_a_descriptor_file(tmp_path: Path) -> None:
    file = tmp_path / "animals.desc"
    file.write_bytes(ANIMALS)
    values = formats(**PROTOBUF, descFilePath=str(file)).values
    assert values is not None
    assert values.type.simpleString().startswith("struct<name:string,age:int,count:bigint")
    raw = b"\n\1x"
    for ident, header in (("7", b"\0\0\0\0\7\0"), ("any", b"\0\0\0\0\x09\2\0")):
        framed = formats(**PROTOBUF, descFilePath=f"file://{file}", valueSchemaId=ident).values
        assert framed is not None
        found = framed.decode(pa.array([raw, header + raw]))
        assert found.bad == [0]
        assert found.column.to_pylist()[1]["name"] == "x"


@pytest.mark.parametrize(
    ("given", "named", "says"),
    [
        ({"badRecords": "null"}, "badRecords", "needs 'valueFormat' = avro or protobuf"),
        ({"messageName": "Sound"}, "messageName", "needs 'valueFormat' = protobuf"),
        (AVRO | {"messageName": "Sound"}, "messageName", "is for 'valueFormat' = protobuf"),
        (PROTOBUF | {"valueSchema": "x"}, "valueSchema", "is for 'valueFormat' = avro"),
        (PROTOBUF, "descFilePath", "is missing.*protoc"),
        ({"valueFormat": "protobuf", "descFilePath": "x"}, "messageName", "is missing"),
        (PROTOBUF | {"descFilePath": "/no/file"}, "descFilePath", "cannot be read on the driver"),
        (AVRO | {"badRecords": "drop"}, "badRecords", "fail, null or topic"),
        (AVRO | {"badRecords": "topic"}, "badRecordsTopic", "is missing"),
        (AVRO | {"badRecordsTopic": "bad"}, "badRecordsTopic", "needs 'badRecords' = topic"),
        (AVRO | {"valueSubject": "dogs"}, "valueSubject", "needs 'schemaRegistryUrl'"),
        (AVRO | {"schemaRegistryUrl": "host:8081"}, "schemaRegistryUrl", "http://host:port"),
        (
            AVRO | {"schemaRegistryUrl": "http://h:1", "valueSchemaId": "3"},
            "valueSchemaId",
            "has all ids",
        ),
        (AVRO | {"valueSchemaId": "any"}, "valueSchemaId", "whole number"),
        (
            {"valueFormat": "avro", "schemaRegistryUrl": "http://h:1", "subscribe": "a,b"},
            "valueSubject",
            "is missing",
        ),
    ],
)
def test_mistakes_name_the_option(given: dict[str, str], named: str, says: str) -> None:
    with pytest.raises(OptionError, match=says) as caught:
        formats(**given)
    assert caught.value.option == named


@pytest.mark.parametrize("content", [b"", b"garbage", b"syntax = 'proto3';"])
def test_a_file_without_descriptors_is_blamed_itself(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "animals.desc"
    file.write_bytes(content)
    with pytest.raises(OptionError, match="no descriptors: .*protoc") as caught:
        formats(**PROTOBUF, descFilePath=str(file))
    assert caught.value.option == "descFilePath"


def test_what_the_registry_has_not() -> None:
    with registry_double() as double:
        double.register("dogs-value", {"schema": "syntax = 'proto3';", "schemaType": "PROTOBUF"})
        asking = {"valueFormat": "avro", "schemaRegistryUrl": double.url}
        with pytest.raises(OptionError, match="no subject 'cats-value': .*is not there"):
            formats(**asking, subscribe="cats")
        with pytest.raises(OptionError, match="'dogs-value' cannot be decoded: .*PROTOBUF"):
            formats(**asking)
        with pytest.raises(OptionError, match="gives it as text and not serialized.*= any"):
            formats(valueFormat="protobuf", schemaRegistryUrl=double.url)


def test_bad_records_do_not_go_where_the_query_reads() -> None:
    given = AVRO | {"kafka.bootstrap.servers": "h:1", "subscribePattern": "dog.*"}
    aside = {"badRecords": "topic", "badRecordsTopic": "dogs-bad"}
    with pytest.raises(OptionError, match="dogs-bad, which the query itself reads"):
        read_options(given | aside, "stream")
    kept = read_options(given | aside | {"badRecordsTopic": "bad"}, "stream").formats
    assert (kept.bad, kept.bad_topic) == ("topic", "bad")
