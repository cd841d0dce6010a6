"""Values of a real registry: written by Confluent's serializers, registered in Apicurio, read by ours."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.interop.peers.brokers.apicurio import Apicurio
from tests.interop.peers.missing import PeerMissing, give_up
from tests.registered_values import avro_by, decoded_by, protobuf_by

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


def test_avro_of_two_versions_of_a_schema(url: str) -> None:
    raw = [
        avro_by(url, OLD, {"sound": "old"}),
        None,
        avro_by(url, NEW, {"sound": "new", "loud": 7}),
    ]
    found = decoded_by(url, raw, valueFormat="avro")
    assert not found.bad
    assert found.column.to_pylist() == [
        {"sound": "old", "loud": 1},
        None,
        {"sound": "new", "loud": 7},
    ]


def test_messages_of_a_file_with_several(url: str) -> None:
    options = {"valueFormat": "protobuf", "valueSubject": "messages-value"}
    raw = [protobuf_by(url, "animals.Sound", "messages", name="rex", tags=["a"])]
    (row,) = decoded_by(url, raw, **options).column.to_pylist()
    assert (row["name"], row["tags"], row["age"]) == ("rex", ["a"], None)
    raw = [protobuf_by(url, "animals.Smell", "messages", strength=3)]
    found = decoded_by(url, raw, **options, messageName="animals.Smell")
    assert found.column.to_pylist() == [{"strength": 3}]
