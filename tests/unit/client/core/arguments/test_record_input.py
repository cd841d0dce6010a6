import re

import pytest

from barnabas.client.core.arguments.record_input import checked_partition, given_record


def now() -> int:
    return 77


def test_text_is_utf_8_and_a_record_without_a_time_is_of_now() -> None:
    assert given_record("t", "ä", None, None, (), now) == (77, b"\xc3\xa4", None, ())
    assert given_record("t", None, b"v", 5, [("h", None)], now) == (5, None, b"v", [("h", None)])


def test_headers_may_come_from_anything_that_can_be_gone_through_once() -> None:
    headers = ((name, b"1") for name in ("a", "b"))
    found = given_record("t", None, None, None, headers, now)
    assert found[3] == (("a", b"1"), ("b", b"1"))


@pytest.mark.parametrize(
    ("topic", "timestamp", "error", "words"),
    [
        (b"t", None, TypeError, "a topic must be a str, not bytes b't'"),
        (["t"], None, TypeError, "a topic must be a str, not list ['t']"),
        (None, None, TypeError, "a topic must be a str, not NoneType None"),
        (
            "t",
            1.5,
            TypeError,
            "timestamp_ms must be an int, milliseconds since the epoch, not float 1.5",
        ),
        ("t", "1", TypeError, "not str '1'"),
        ("t", -1, ValueError, "timestamp_ms is -1"),
    ],
)
def test_what_is_wrong_is_named(
    topic: object, timestamp: object, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=re.escape(words)):
        given_record(topic, None, b"v", timestamp, (), now)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("key", "value", "headers", "words"),
    [
        (None, 5, (), "a value must be bytes, str or None, not int 5"),
        (None, {"a": 1}, (), "not dict {'a': 1}: encode it first"),
        (5, None, (), "a key must be bytes, str or None, not int 5"),
        (None, None, {"a": b"b"}, "as [('origin', b'OSL')], not dict {'a': b'b'}"),
        (None, None, "ab", "not str 'ab'"),
        (None, None, 5, "not int 5"),
        (None, None, ["ab"], "'ab' is not one"),
        (None, None, [("a", 5)], "a header's value must be bytes or None, not int 5"),
        (None, None, [(b"a", b"b")], "the name of a header must be a str, not bytes b'a'"),
    ],
)
def test_content_that_is_none_is_named(
    key: object, value: object, headers: object, words: str
) -> None:
    with pytest.raises(TypeError, match=re.escape(words)):
        given_record("t", key, value, None, headers, now)  # type: ignore[arg-type]


def test_a_partition_is_a_number() -> None:
    checked_partition(None)
    checked_partition(3)
    with pytest.raises(TypeError, match="a partition must be an int or None, not str '0'"):
        checked_partition("0")  # type: ignore[arg-type]
