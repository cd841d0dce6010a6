import pytest

from barnabas.client.driver07.partitioners import by_java_hash, java_hash


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        ("key", 106079),
        ("dogs", 3089079),
        ("user-42", -147182656),
        ("polygenelubricants", -(2**31)),
        ("hund-ü", java_hash("hund-\u00fc")),
        ("\U0001f415", 1772408),
    ],
)
def test_the_hash_is_that_of_java(text: str, expected: int) -> None:
    assert java_hash(text) == expected


def test_the_partition_is_that_of_kafka_07() -> None:
    assert by_java_hash("key", 7) == 106079 % 7
    assert by_java_hash(b"user-42", 7) == 147182656 % 7
    assert by_java_hash("polygenelubricants", 7) == 0
    assert by_java_hash(42, 7) == by_java_hash("42", 7)
