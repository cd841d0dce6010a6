"""What a caller hands over as one record, checked: before anything of it is kept."""

from collections.abc import Callable, Iterable
from operator import index

Headers = Iterable[tuple[str, bytes | None]]

GivenRecord = tuple[int, bytes | None, bytes | None, Headers]
"""Timestamp in milliseconds since the epoch, key, value, headers."""


def given_record(
    topic: str,
    key: bytes | str | None,
    value: bytes | str | None,
    timestamp_ms: int | None,
    headers: Headers,
    now_ms: Callable[[], int],
) -> GivenRecord:
    """One record for `topic`: text as UTF-8, of now where it has no timestamp.

    Headers may be any iterable, and are read once. The kernel that appends them checks each, as it
    does key and value.

    Raises:
        TypeError: the topic is not text, or the timestamp not an integer.
        ValueError: the timestamp is negative.
    """
    checked_topic(topic)
    return (
        now_ms() if timestamp_ms is None else _timestamp(timestamp_ms),
        key.encode() if isinstance(key, str) else key,
        value.encode() if isinstance(value, str) else value,
        headers if type(headers) in {list, tuple} or headers is None else tuple(headers),
    )


def checked_topic(topic: str) -> None:
    """Refuse a topic that is no text.

    Raises:
        TypeError: the message names what was given.
    """
    if not isinstance(topic, str):
        raise TypeError(f"a topic is a str, not {_named(topic)}")


def _timestamp(timestamp_ms: int) -> int:
    try:
        number = index(timestamp_ms)
    except TypeError:
        what = f"timestamp_ms is an int, milliseconds since the epoch, not {_named(timestamp_ms)}"
        raise TypeError(what) from None
    if number < 0:
        raise ValueError(f"timestamp_ms is {number}: records have times from 1970 on, 0 or more")
    return number


def _named(value: object) -> str:
    return f"{type(value).__name__} {value!r}"
