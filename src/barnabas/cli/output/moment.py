"""Times as arguments and as output."""

from datetime import UTC, datetime

import click

from barnabas.config.definition import LONG_MAX
from barnabas.errors import ConfigError

_UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))


def moment_ms(option: str, text: str, others: str) -> int:
    """Parse a time such as 2013-01-01T05:00, or @milliseconds, to ms since the epoch; at least 0.

    Raises:
        click.UsageError: not a time; the message lists what `others` the option accepts.
        ConfigError: later than any time that a broker can store.
    """
    if text.startswith("@") and text.isascii() and text[1:].isdecimal():
        return _checked_moment(option, text, int(text[1:]))
    try:
        return _checked_moment(option, text, int(datetime.fromisoformat(text).timestamp() * 1000))
    except (ValueError, OverflowError, OSError):
        raise click.UsageError(
            f"{option} {text}: expected {others}, a time such as 2013-01-01T05:00, or @milliseconds"
        ) from None


def _checked_moment(option: str, text: str, milliseconds: int) -> int:
    # A negative number is not a time to a broker: -1 is the end and -2 the beginning.
    if milliseconds > LONG_MAX:
        raise ConfigError(f"{option} {text}: it must be at most @{LONG_MAX}")
    return max(milliseconds, 0)


def time_text(milliseconds: int) -> str:
    """A local time: `2013-01-01 05:00:00`; the number where no calendar has it."""
    try:
        when = datetime.fromtimestamp(milliseconds / 1000, tz=UTC).astimezone()
    except (ValueError, OverflowError, OSError):
        return str(milliseconds)
    return f"{when:%Y-%m-%d %H:%M:%S}"


def time_and_age(milliseconds: int, now_ms: int) -> str:
    """A local time with its age: `2013-01-01 05:00:00, 3 h ago`."""
    shown = time_text(milliseconds)
    age = (now_ms - milliseconds) // 1000
    for size, unit in _UNITS:
        if age >= size:
            return f"{shown}, {age // size} {unit} ago"
    return shown if age < 0 else f"{shown}, now"
