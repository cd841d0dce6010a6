"""Values of a real registry: written by Confluent's serializers, registered in Apicurio, read by ours."""

import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroSerializer
from confluent_kafka.schema_registry.protobuf import ProtobufSerializer
from confluent_kafka.serialization import MessageField, SerializationContext

from barnabas.spark.options.formats import read_formats
from barnabas.spark.options.option_values import Options
from barnabas.spark.values.protobuf_schema import protobuf_message
from tests.descriptors import ANIMALS
from tests.interop.peers.apicurio import Apicurio
from tests.interop.peers.missing import PeerMissing, give_up

pytestmark = [
    pytest.mark.interop,
    pytest.mark.java,
    pytest.mark.long,  # 140 MB to fetch
    pytest.mark.timeout(600),
]

OLD = {"type": "record", "name": "Sound", "fields": [{"name": "sound", "type": "string"}]}
NEW = OLD | {"fields": [*OLD["fields"], {"name": "loud", "type": "int", "default": 1}]}


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder: Path = tmp_path_factory.mktemp("apicurio")
    try:
        with Apicurio(folder) as registry:
            yield registry.url
    except PeerMissing as missing:
        give_up(missing)


def decoded(url: str, raw: list[bytes | None], **options: str) -> list[object]:
    given = {"subscribe": "sounds", "schemaRegistryUrl": url} | options
    values = read_formats(Options(given)).values
    assert values is not None
    found = values.decode(pa.array(raw, pa.binary()))
    assert not found.bad, found.why(found.bad[0])
    rows: list[object] = found.column.to_pylist()
    return rows


def test_avro_of_two_versions_of_a_schema(url: str) -> None:
    client, context = (
        SchemaRegistryClient({"url": url}),
        SerializationContext("sounds", MessageField.VALUE),
    )
    raw = [
        AvroSerializer(client, json.dumps(OLD))({"sound": "old"}, context),
        None,
        AvroSerializer(client, json.dumps(NEW))({"sound": "new", "loud": 7}, context),
    ]
    assert decoded(url, raw, valueFormat="avro") == [
        {"sound": "old", "loud": 1},
        None,
        {"sound": "new", "loud": 7},
    ]


def test_messages_of_a_file_with_several(url: str) -> None:
    client, context = (
        SchemaRegistryClient({"url": url}),
        SerializationContext("messages", MessageField.VALUE),
    )
    sound, smell = (protobuf_message(ANIMALS, name).made for name in ("Sound", "Smell"))
    modern = {"use.deprecated.format": False}
    raw = [ProtobufSerializer(sound, client, modern)(sound(name="rex", tags=["a"]), context)]
    (found,) = decoded(url, raw, valueFormat="protobuf", valueSubject="messages-value")
    assert isinstance(found, dict)
    assert (found["name"], found["tags"], found["age"]) == ("rex", ["a"], None)
    raw = [ProtobufSerializer(smell, client, modern)(smell(strength=3), context)]
    options = {"valueSubject": "messages-value", "messageName": "animals.Smell"}
    assert decoded(url, raw, valueFormat="protobuf", **options) == [{"strength": 3}]
