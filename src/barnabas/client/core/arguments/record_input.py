"""Check a caller's arguments for one record, before anything of it is stored."""

from collections.abc import Callable, Iterable, Mapping, Sequence
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
    """Check one record for `topic`: text becomes UTF-8, a missing timestamp the current time.

    Headers may be any iterable of pairs, and are read once.

    Raises:
        TypeError: an argument has a wrong type; the message names it.
        ValueError: the timestamp is negative.
    """
    checked_topic(topic)
    return (
        now_ms() if timestamp_ms is None else _timestamp(timestamp_ms),
        _content("key", key),
        _content("value", value),
        _pairs(headers) if headers else (),
    )


def checked_partition(partition: int | None) -> None:
    """Refuse a partition that is not a number.

    Raises:
        TypeError: the message names the argument.
    """
    if partition is not None and not hasattr(partition, "__index__"):
        raise TypeError(f"a partition must be an int or None, not {_named(partition)}")


def checked_topic(topic: str) -> None:
    """Refuse a topic that is not text.

    Raises:
        TypeError: the message names the argument.
    """
    if not isinstance(topic, str):
        raise TypeError(f"a topic must be a str, not {_named(topic)}")


def _content(what: str, data: bytes | str | None) -> bytes | None:
    if isinstance(data, str):
        return data.encode()
    if data is None or isinstance(data, bytes | bytearray | memoryview):
        return data
    raise TypeError(f"a {what} must be bytes, str or None, not {_named(data)}: encode it first")


def _pairs(headers: Headers) -> Sequence[tuple[str, bytes | None]]:
    example = "headers must be pairs, as [('origin', b'OSL')]"
    if isinstance(headers, Mapping | str | bytes) or not isinstance(headers, Iterable):
        raise TypeError(f"{example}, not {_named(headers)}")
    listed = headers if isinstance(headers, list | tuple) else tuple(headers)
    for pair in listed:
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise TypeError(f"{example}; {pair!r} is not one")
        name, value = pair
        if not isinstance(name, str):
            raise TypeError(f"the name of a header must be a str, not {_named(name)}")
        if value is not None and not isinstance(value, bytes | bytearray | memoryview):
            raise TypeError(f"a header's value must be bytes or None, not {_named(value)}")
    return listed


def _timestamp(timestamp_ms: int) -> int:
    try:
        number = index(timestamp_ms)
    except TypeError:
        what = (
            f"timestamp_ms must be an int, milliseconds since the epoch, not {_named(timestamp_ms)}"
        )
        raise TypeError(what) from None
    if number < 0:
        raise ValueError(f"timestamp_ms is {number}: it must be 0 or more, milliseconds since 1970")
    return number


def _named(value: object) -> str:
    return f"{type(value).__name__} {value!r}"
