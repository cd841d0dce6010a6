"""Targets that read what a broker keeps: small files, and the records of Kafka's own topics."""

import random
import struct

from barnabas.cli.log.internal_records import OWN_TOPICS, described, details
from barnabas.log.inspection.state_files import examine_state
from barnabas.log.producers.producer_snapshot import encode_snapshot
from barnabas.log.producers.producer_state import ProducerEntry
from barnabas.records.columns.record import Record
from barnabas.wire.compiler import Codec
from barnabas.wire.schema import declaration_of
from fuzz.messages import make_message

_SMALL_FILES = (
    "00000000000000000007.snapshot",
    "00000000000000000007.txnindex",
    "leader-epoch-checkpoint",
    "recovery-point-offset-checkpoint",
    "partition.metadata",
    "meta.properties",
)


def small_file(chance: random.Random) -> bytes:
    """A byte that says which, then what it holds."""
    number = chance.randrange(len(_SMALL_FILES))
    match number:
        case 0:
            entry = ProducerEntry(chance.randrange(99))
            entry.add(1, 0, chance.randrange(99), 0, 1000)
            data = encode_snapshot([entry] * chance.randrange(4))
        case 1:
            data = struct.pack(">hqqqq", 0, 7, 1, 5, 6) * chance.randrange(4)
        case 2:
            data = b"0\n2\n0 0\n3 17\n"
        case 3:
            data = b"0\n1\nsome-topic 3 71\n"
        case 4:
            data = b"version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAQ"
        case _:
            data = b"version=1\nnode.id=1\ncluster.id=a\n"
    return bytes((number,)) + data


def examine_small_file(data: bytes) -> None:
    if data and data[0] < len(_SMALL_FILES):
        found = examine_state(_SMALL_FILES[data[0]], data[1:])
        assert all(len(row) == len(found.columns) for row in found.rows) or found.faults


_TOPICS = tuple(OWN_TOPICS)


def own_record(chance: random.Random) -> bytes:
    """A byte that says which topic, one how long the key is, key and value."""
    number = chance.randrange(len(_TOPICS))
    kinds = OWN_TOPICS[_TOPICS[number]]
    kind = chance.choice(list(kinds))
    pair = kinds[kind]
    if isinstance(pair, tuple):
        declared = pair[1]
        of_keys = declaration_of(pair[0]).versions.first
        codec: Codec[object] = Codec.of(pair[0], of_keys)
        key = struct.pack(">h", kind) + codec.encode(make_message(pair[0], of_keys, chance))
    else:
        declared, key = pair, b""
    versions = declaration_of(declared).versions
    version = chance.randrange(versions.first, versions.last + 1)
    codec = Codec.of(declared, version)
    head = struct.pack(">h", version) if key else bytes((1, kind, version))
    value = head + codec.encode(make_message(declared, version, chance))
    return bytes((number, len(key))) + key + value


def tell_own_record(data: bytes) -> None:
    if len(data) < 2 or data[0] >= len(_TOPICS):
        return
    key, value = data[2 : 2 + data[1]], data[2 + data[1] :]
    words = described(Record(_TOPICS[data[0]], 0, 0, 0, 0, key, value))
    if words is not None:
        details(words)
