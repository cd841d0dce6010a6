"""Avro values against what fastavro, which we did not write, encodes."""

import io
import json
from datetime import UTC, date, datetime
from typing import Any

import fastavro
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from barnabas.spark.values.avro_schema import avro_schema
from barnabas.spark.values.avro_values import ITEMS_FREE, AvroValues

TREE = {
    "type": "record",
    "name": "Sound",
    "namespace": "animals",
    "fields": [
        {"name": "name", "type": "string"},
        {"name": "age", "type": ["null", "int"]},
        {"name": "loud", "type": "boolean"},
        {"name": "weight", "type": ["double", "null"]},
        {"name": "size", "type": "float"},
        {"name": "count", "type": "long"},
        {"name": "raw", "type": "bytes"},
        {"name": "kind", "type": {"type": "enum", "name": "Kind", "symbols": ["DOG", "CAT"]}},
        {"name": "chip", "type": {"type": "fixed", "name": "Chip", "size": 3}},
        {"name": "second", "type": ["null", "Kind"]},
        {"name": "tags", "type": {"type": "array", "items": "string"}},
        {"name": "homes", "type": {"type": "map", "values": ["null", "long"]}},
        {
            "name": "owner",
            "type": [
                "null",
                {
                    "type": "record",
                    "name": "Owner",
                    "fields": [
                        {"name": "name", "type": "string"},
                        {"name": "years", "type": {"type": "array", "items": "int"}},
                    ],
                },
            ],
        },
        {"name": "born", "type": {"type": "int", "logicalType": "date"}},
        {"name": "received", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        {"name": "nothing", "type": "null"},
        {"name": "seen", "type": {"type": "long", "logicalType": "local-timestamp-micros"}},
        {"name": "price", "type": {"type": "bytes", "logicalType": "decimal",
            "precision": 20, "scale": 4}},
        {"name": "fee", "type": ["null", {"type": "fixed", "name": "Fee", "size": 5,
            "logicalType": "decimal", "precision": 9, "scale": 2}]},
        {"name": "either", "type": ["string", "null", "int", {"type": "array", "items": "long"}]},
        {"name": "whole", "type": ["int", "long"]},
        {"name": "real", "type": ["null", "double", "float"]},
    ],
}  # fmt: skip

INTS, LONGS = st.integers(-(2**31), 2**31 - 1), st.integers(-(2**63), 2**63 - 1)
SOUNDS = st.fixed_dictionaries(
    {
        "name": st.text(max_size=20),
        "age": st.none() | INTS,
        "loud": st.booleans(),
        "weight": st.none() | st.floats(allow_nan=False),
        "size": st.floats(width=32, allow_nan=False),
        "count": LONGS,
        "raw": st.binary(max_size=20),
        "kind": st.sampled_from(["DOG", "CAT"]),
        "chip": st.binary(min_size=3, max_size=3),
        "second": st.none() | st.sampled_from(["DOG", "CAT"]),
        "tags": st.lists(st.text(max_size=5), max_size=4),
        "homes": st.dictionaries(st.text(max_size=5), st.none() | LONGS, max_size=3),
        "owner": st.none()
        | st.fixed_dictionaries({"name": st.text(max_size=5), "years": st.lists(INTS, max_size=3)}),
        "born": st.dates(date(1900, 1, 1), date(2100, 1, 1)),
        "received": st.integers(0, 2**41)
        .map(lambda ms: datetime.fromtimestamp(ms / 1000, UTC))
        .map(lambda at: at.replace(microsecond=at.microsecond // 1000 * 1000)),
        "nothing": st.none(),
        "seen": st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)),  # noqa: DTZ001
        "price": st.decimals(-(10**15), 10**15, places=4),
        "fee": st.none() | st.decimals(-9999999, 9999999, places=2),
        "either": st.text(max_size=5) | st.none() | INTS | st.lists(LONGS, max_size=3),
        "whole": INTS,
        "real": st.none() | st.floats(width=32, allow_nan=False),
    }
)


def encoded(schema: Any, value: Any) -> bytes:
    out = io.BytesIO()
    fastavro.schemaless_writer(out, fastavro.parse_schema(schema), value)
    return out.getvalue()


def plain(value: Any) -> Any:
    """Arrow gives maps as lists of pairs, and a union as a struct with a member for each branch."""
    if not isinstance(value, dict):
        return value
    either = value["either"] or {}
    set_one = [each for each in either.values() if each is not None]
    return value | {"homes": dict(value["homes"]), "either": set_one[0] if set_one else None}


@given(st.lists(st.none() | SOUNDS, max_size=12))
def test_what_fastavro_writes_is_read(sounds: list[Any]) -> None:
    values = pa.array(
        [None if each is None else encoded(TREE, each) for each in sounds], pa.binary()
    )
    decoding = AvroValues(values)
    found = decoding.decode(avro_schema(json.dumps(TREE)))
    assert [plain(each) for each in found.to_pylist()] == sounds
    assert not decoding.bad.any()


@given(st.lists(SOUNDS, min_size=1, max_size=4), st.data())
def test_what_is_cut_or_too_long_is_bad_and_spoils_no_other(sounds: list[Any], data: Any) -> None:
    raw = [encoded(TREE, each) for each in sounds]
    which = data.draw(st.integers(0, len(raw) - 1))
    cut = data.draw(st.integers(0, len(raw[which]) - 1))
    raw[which] = data.draw(st.sampled_from([raw[which][:cut], raw[which] + b"\0"]))
    decoding = AvroValues(pa.array(raw, pa.binary()))
    found = decoding.decode(avro_schema(json.dumps(TREE))).to_pylist()
    assert np.flatnonzero(decoding.bad).tolist() == [which]
    expected = [None if at == which else each for at, each in enumerate(sounds)]
    assert [plain(each) for each in found] == expected


@given(st.lists(st.binary(max_size=60), max_size=6))
def test_any_bytes_are_read_or_bad(raw: list[bytes]) -> None:
    decoding = AvroValues(pa.array(raw, pa.binary()))
    found = decoding.decode(avro_schema(json.dumps(TREE)))
    found.validate()
    assert found.is_null().to_pylist() == decoding.bad.tolist()


def test_a_part_of_an_array_behind_a_header() -> None:
    values = pa.array([b"xxxxx" + encoded("long", number) for number in range(-3, 900)])
    decoding = AvroValues(values.slice(1, 700), header=5)
    assert decoding.decode(avro_schema('"long"')).to_pylist() == list(range(-2, 698))


def test_text_that_is_not_utf_8_is_bad_and_spoils_no_other() -> None:
    values = [encoded("bytes", raw) for raw in (b"woof", b"\xff\xfe", "Löwe".encode())]
    decoding = AvroValues(pa.array(values))
    assert decoding.decode(avro_schema('"string"')).to_pylist() == ["woof", None, "Löwe"]
    assert decoding.bad.tolist() == [False, True, False]


def test_blocks_that_say_their_size() -> None:
    raw = b"\x03\x04\x02\x04\x02\x06\x00"  # two items in 2 bytes, then one item, then the end
    decoding = AvroValues(pa.array([raw, b"\x00", raw]))
    found = decoding.decode(avro_schema('{"type":"array","items":"int"}'))
    assert found.to_pylist() == [[1, 2, 3], [], [1, 2, 3]]


@pytest.mark.parametrize("item", ["null", ["null"], {"type": "fixed", "name": "F", "size": 0}])
def test_items_without_bytes_are_bounded_by_the_bytes_that_are_there(item: Any) -> None:
    """A value of few bytes must not say that it has millions of them, in one block or in many."""
    schema = avro_schema(json.dumps({"type": "array", "items": {"type": "array", "items": item}}))
    one, many, most = encoded("long", 1), encoded("long", 1 << 24), encoded("long", ITEMS_FREE)
    inner = most + b"\0"
    raw = [
        one + many + b"\0\0",
        one + b"\x01" + encoded("long", 2**63 - 1) + b"\0\0\0",
        one + inner + b"\0",
        one + most + inner + b"\0",
        encoded("long", 2) + inner + inner + b"\0",
    ]
    decoding = AvroValues(pa.array(raw))
    found = decoding.decode(schema)
    assert decoding.bad.tolist() == [True, True, False, True, True]
    assert len(found[2][0]) == ITEMS_FREE


@given(st.lists(LONGS, min_size=1))
def test_times_that_microseconds_cannot_hold_are_bad(numbers: list[int]) -> None:
    schema = {"type": "long", "logicalType": "timestamp-millis"}
    decoding = AvroValues(pa.array([encoded("long", number) for number in numbers]))
    found = decoding.decode(avro_schema(json.dumps(schema))).cast(pa.int64()).to_pylist()
    fits = [-(2**63) <= number * 1000 < 2**63 for number in numbers]
    assert found == [
        number * 1000 if fit else None for number, fit in zip(numbers, fits, strict=True)
    ]
    assert decoding.bad.tolist() == [not fit for fit in fits]


def test_a_named_type_is_known_by_the_namespace_around_it() -> None:
    """Also within a type that gives its namespace by its full name."""
    kind = {"type": "enum", "name": "Kind", "symbols": ["DOG", "CAT"]}
    other = {"type": "enum", "name": "other.Kind", "symbols": ["HEN"]}
    fields = [
        {"name": "a", "type": kind},
        {"name": "b", "type": "animals.Kind"},
        {"name": "c", "type": other},
        {"name": "d", "type": "Kind"},
        {"name": "e", "type": "other.Kind"},
    ]
    value = {"a": "DOG", "b": "CAT", "c": "HEN", "d": "CAT", "e": "HEN"}
    for names in ({"name": "animals.T"}, {"name": "T", "namespace": "animals"}):
        schema = {"type": "record", **names, "fields": fields}
        decoding = AvroValues(pa.array([encoded(schema, value)]))
        assert decoding.decode(avro_schema(json.dumps(schema))).to_pylist() == [value]


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        ("{", "no JSON"),
        ('"sound"', "type 'sound', which is not known"),
        ('{"type":"bytes","logicalType":"decimal"}', "decimal of None digits"),
        ('{"type":"bytes","logicalType":"decimal","precision":39}', "decimal of 39 digits"),
        ('{"type":"bytes","logicalType":"decimal","precision":3,"scale":4}', "'scale' 4"),
        ('["int",["string","long"]]', "a union in it"),
        ('{"type":"record","name":"T","fields":[{"name":"t","type":["null","T"]}]}', "itself"),
        ('{"type":"record","name":"T","fields":[]}', "without fields"),
        ('{"type":"record","name":"T","fields":[{"name":"a","type":7}]}', r"\.a is no type"),
        ('{"type":"record","name":"T"}', "no list of 'fields'"),
        ('{"type":"record","name":"T","fields":{"a":"int"}}', "no list of 'fields'"),
        ('{"type":"record","name":"T","fields":["a"]}', "field that is no object: 'a'"),
        ('{"type":"record","name":"T","fields":[{"type":"int"}]}', "field without a 'name'"),
        ('{"type":"record","name":"T","fields":[{"name":"a"}]}', r"\.a has no 'type'"),
        ('{"type":"record","fields":[{"name":"a","type":"int"}]}', "it has no 'name'"),
        ('{"type":"enum","name":"E"}', "no list of 'symbols'"),
        ('{"type":"enum","name":"E","symbols":[7]}', "symbol that is no text: 7"),
        ('{"type":"fixed","name":"F"}', "no 'size'"),
        ('{"type":"fixed","name":"F","size":"3"}', "'size' that is no number of bytes: '3'"),
        ('{"type":"fixed","name":"F","size":-1}', "'size' that is no number of bytes: -1"),
        ('{"type":"array"}', "no 'items'"),
        ('{"type":"map"}', "no 'values'"),
        ('{"type":7}', "is no type"),
        ('{"type":"long","logicalType":["date"]}', "'logicalType' that is no text"),
        ('["null","null"]', "union with null more than once"),
        ("[]", "union with null more than once, or of nothing"),
        ("7", "it is no type: 7"),
        ("[" * 5000, "too deep"),
        ('{"type":"array","items":' * 500 + '"int"' + "}" * 500, "too deep"),
    ],
)
def test_a_schema_that_cannot_be_decoded_says_where(schema: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        avro_schema(schema)
