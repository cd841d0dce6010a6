"""Messages in columns, against what the protobuf library, which we did not write, encodes."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from barnabas.spark.values.protobuf_format import ProtobufFormat
from barnabas.spark.values.protobuf_schema import protobuf_message
from tests.descriptors import ANIMALS, described, message

SOUND = protobuf_message(ANIMALS, "animals.Sound")
FORMAT = ProtobufFormat(ANIMALS, SOUND.name, SOUND.root.type)
NO_SOUND: dict[str, Any] = {
    **dict.fromkeys(("name", "age", "count", "weight", "loud", "kind", "raw", "owner", "at")),
    **dict.fromkeys(("took", "maybe", "far", "huge", "dog", "cat")),
    "tags": [],
    "homes": [],
    "ears": [],
    "kinds": [],
}

INT32, INT64 = st.integers(-(2**31), 2**31 - 1), st.integers(-(2**63), 2**63 - 1)
OWNERS = st.fixed_dictionaries({}, optional={"name": st.text(min_size=1, max_size=4)})
SOUNDS = st.fixed_dictionaries(
    {},
    optional={
        "name": st.text(min_size=1, max_size=5),
        "age": INT32.filter(bool),
        "count": INT64.filter(bool),
        "weight": st.floats(allow_nan=False).filter(bool),
        "loud": st.just(value=True),
        "kind": st.sampled_from(["DOG", "CAT"]),
        "raw": st.binary(min_size=1, max_size=5),
        "owner": OWNERS,
        "maybe": INT32,
        "far": st.integers(1, 2**32 - 1),
        "huge": st.integers(1, 2**64 - 1),
        "tags": st.lists(st.text(max_size=3), min_size=1, max_size=3),
        "homes": st.dictionaries(st.text(max_size=3), INT64, min_size=1, max_size=2),
        "ears": st.lists(OWNERS, min_size=1, max_size=3),
        "kinds": st.lists(st.sampled_from(["NONE", "DOG"]), min_size=1, max_size=3),
    },
)


def encoded(**fields: Any) -> bytes:
    raw: bytes = message(SOUND.made, fields).SerializeToString()
    return raw


def expected(sound: dict[str, Any]) -> dict[str, Any]:
    found = NO_SOUND | sound
    for name in ("owner", "ears"):
        if found[name]:
            one = {"name": None}
            some = found[name]
            found[name] = one | some if name == "owner" else [one | each for each in some]
    return found | ({"owner": {"name": None}} if sound.get("owner") == {} else {})


@given(st.lists(st.none() | SOUNDS, max_size=8))
def test_what_protobuf_writes_is_read(sounds: list[Any]) -> None:
    raw = [None if each is None else encoded(**each) for each in sounds]
    decoded = FORMAT.decode(pa.array(raw, pa.binary()))
    decoded.column.validate(full=True)
    assert not decoded.bad
    found = decoded.column.to_pylist()
    for each in filter(None, found):
        each["homes"] = sorted(each["homes"])
    wanted = [None if each is None else expected(each) for each in sounds]
    for each in filter(None, wanted):
        each["homes"] = sorted(dict(each["homes"]).items())
    assert found == wanted


def test_times_and_what_one_of_several_fields_has() -> None:
    sound = SOUND.made(dog="rex")
    sound.at.FromMilliseconds(1234)
    sound.took.FromMicroseconds(-1_500_000)
    (found,) = FORMAT.decode(pa.array([sound.SerializeToString()])).column.to_pylist()
    assert found["at"] == datetime(1970, 1, 1, 0, 0, 1, 234000, tzinfo=UTC)
    assert found["took"] == timedelta(seconds=-1.5)
    assert (found["dog"], found["cat"]) == ("rex", None)


def test_a_number_that_an_enum_does_not_have_is_shown() -> None:
    (found,) = FORMAT.decode(pa.array([SOUND.made(kind=9).SerializeToString()])).column.to_pylist()
    assert found["kind"] == "UNKNOWN_ENUM_VALUE_Kind_9"


@given(st.lists(st.binary(max_size=20), max_size=6))
def test_any_bytes_are_read_or_bad(raw: list[bytes]) -> None:
    decoded = FORMAT.decode(pa.array(raw, pa.binary()))
    decoded.column.validate(full=True)
    assert [row for row, each in enumerate(decoded.column.to_pylist()) if each is None] == list(
        decoded.bad
    )
    for row in decoded.bad:
        assert "no message animals.Sound" in decoded.why(row) or "out of range" in decoded.why(row)


def test_what_sparks_types_cannot_hold_is_bad_and_spoils_no_other() -> None:
    far = SOUND.made()
    far.at.seconds = 2**62
    decoded = FORMAT.decode(pa.array([encoded(age=1), far.SerializeToString(), encoded(age=2)]))
    assert decoded.bad == [1]
    assert [each and each["age"] for each in decoded.column.to_pylist()] == [1, None, 2]
    latin = protobuf_message(described(OLD), "Old")
    old = ProtobufFormat(described(OLD), latin.name, latin.root.type)
    decoded = old.decode(pa.array([b"\x0a\x01\xff", b"", b"\x12\x00"]))
    assert decoded.bad == [0]
    assert decoded.column.to_pylist()[1] == {"name": "nobody", "inner": None}
    assert decoded.column.to_pylist()[2] == {"name": "nobody", "inner": {"a": None}}


OLD = """
name: "old.proto"
message_type {
  name: "Old"
  field { name: "name" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL default_value: "nobody" }
  field { name: "inner" number: 2 type: TYPE_MESSAGE type_name: ".Inner" label: LABEL_OPTIONAL }
  field { name: "empty" number: 3 type: TYPE_MESSAGE type_name: ".Empty" label: LABEL_OPTIONAL }
}
message_type {
  name: "Inner"
  field { name: "a" number: 1 type: TYPE_INT32 label: LABEL_OPTIONAL }
}
message_type { name: "Empty" }
message_type {
  name: "Tree"
  field { name: "left" number: 1 type: TYPE_MESSAGE type_name: ".Tree" label: LABEL_OPTIONAL }
}
"""


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("Tree", "Tree.left is of message Tree, which has itself as a part"),
        ("Empty", "message Empty has no fields"),
        ("Owl", "no message Owl: Old"),
    ],
)
def test_a_message_that_cannot_be_read_says_why(name: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        protobuf_message(described(OLD), name)


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"", "no descriptors: make them by protoc"),
        (b"\xff\xff", "no descriptors: make them by protoc"),
        (described('name: "a.proto" dependency: "b.proto"'), "a.proto imports b.proto, which is not"),
        (described('name: "a.proto" message_type { name: "A" field { name: "x" number: 1 '
         'type: TYPE_MESSAGE type_name: ".B" label: LABEL_OPTIONAL } }'), "a.proto cannot be used"),
    ],
)  # fmt: skip
def test_descriptors_that_cannot_be_used_say_why(raw: bytes, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        protobuf_message(raw, "A")


def test_a_message_is_found_without_its_package_and_within_another() -> None:
    assert protobuf_message(ANIMALS, "Sound").name == "animals.Sound"
    assert protobuf_message(ANIMALS, "Ear").name == "animals.Sound.Ear"
    assert protobuf_message(ANIMALS, None).name == "animals.Sound"


PERSON = described("""
name: "person.proto"
message_type {
  name: "Person"
  field { name: "name" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL }
  field { name: "friend" number: 2 type: TYPE_MESSAGE type_name: ".Person" label: LABEL_OPTIONAL }
  field { name: "others" number: 3 type: TYPE_MESSAGE type_name: ".Person" label: LABEL_REPEATED }
}
""")


@pytest.mark.parametrize(
    ("depth", "column"),
    [
        (1, {"name": "ann"}),
        (2, {"name": "ann", "friend": {"name": "bob"}, "others": [{"name": "eve"}]}),
        (
            3,
            {
                "name": "ann",
                "friend": {"name": "bob", "friend": {"name": "joe"}, "others": []},
                "others": [{"name": "eve", "friend": None, "others": []}],
            },
        ),
    ],
)
def test_a_message_within_itself_is_read_as_often_as_was_asked_for(
    depth: int, column: dict[str, Any]
) -> None:
    person = protobuf_message(PERSON, "Person", depth)
    ann = person.made(name="ann", others=[person.made(name="eve")])
    ann.friend.name, ann.friend.friend.name = "bob", "joe"
    form = ProtobufFormat(PERSON, person.name, person.root.type, recursion=depth)
    decoded = form.decode(pa.array([ann.SerializeToString()]))
    assert (decoded.column.to_pylist(), list(decoded.bad)) == ([column], [])
