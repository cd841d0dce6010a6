"""Messages of a registry, written by Confluent's own serializer."""

from tests.registered_values import decoded_by, protobuf_by
from tests.registry_double import registry_double


def test_messages_of_a_registry() -> None:
    with registry_double() as double:
        raw = [
            protobuf_by(double.url, "animals.Sound", name="rex", age=3),
            None,
            protobuf_by(double.url, "animals.Smell", strength=1),
            b"\0\0\0\0\1\2\x63",
            b"\0\0\0\0\1",
            b"\0\0\0\0\x63\0",
            b"text",
            b"\0\0\0\0\1\0\xff",
        ]
        found = decoded_by(double.url, raw, valueFormat="protobuf")
        smell = decoded_by(double.url, raw[2:3], valueFormat="protobuf", messageName="Smell")
    (sound, *_) = found.column.to_pylist()
    assert (sound["name"], sound["age"]) == ("rex", 3)
    assert smell.column.to_pylist() == [{"strength": 1}]
    assert found.bad == [2, 3, 4, 5, 6, 7]
    why = [found.why(row) for row in found.bad]
    assert why[0] == "the value is a message animals.Smell, not animals.Sound"
    assert "it has no message [-50]" in why[1]
    assert "ends within its message indexes" in why[2]
    assert "/schemas/ids/99?format=serialized is not there" in why[3]
    assert "does not begin with 0" in why[4]
    assert "is no message animals.Sound" in why[5]
