"""Records of Kafka's own topics in words."""

import random
import struct

import pytest

from barnabas.cli.log.internal_records import OWN_TOPICS, described
from barnabas.records.columns.record import Record
from barnabas.wire.compiler import Codec
from barnabas.wire.schema import declaration_of
from fuzz.messages import make_message

KEYS = [
    pytest.param(topic, kind, types[0], id=types[0].__name__)
    for topic, kinds in OWN_TOPICS.items()
    for kind, types in kinds.items()
    if isinstance(types, tuple)
]


@pytest.mark.parametrize(("topic", "kind", "declared"), KEYS)
def test_a_key_of_every_kind_is_reported_with_its_fields(
    topic: str, kind: int, declared: type
) -> None:
    version = declaration_of(declared).versions.first
    codec: Codec[object] = Codec.of(declared, version)
    message = make_message(declared, version, random.Random(1))
    key = struct.pack(">h", kind) + codec.encode(message)
    words = described(Record(topic, 0, 0, 0, 0, key, None))
    assert words is not None
    assert set(words["key"]) == set(declaration_of(declared).fields)
