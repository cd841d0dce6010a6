"""Times as the command line takes them."""

from datetime import datetime

import click

from barnabas.config.definition import LONG_MAX
from barnabas.errors import ConfigError


def moment_ms(option: str, text: str, others: str) -> int:
    """A time such as 2013-01-01T05:00, or @milliseconds, in ms since the epoch; from 0 on.

    Raises:
        click.UsageError: it is none; the message says which `others` the option takes.
        ConfigError: it is later than any that a broker knows.
    """
    if text.startswith("@") and text.isascii() and text[1:].isdecimal():
        return _told(option, text, int(text[1:]))
    try:
        return _told(option, text, int(datetime.fromisoformat(text).timestamp() * 1000))
    except (ValueError, OverflowError, OSError):
        raise click.UsageError(
            f"{option} {text}: it must be {others}, a time such as 2013-01-01T05:00, or @milliseconds"
        ) from None


def _told(option: str, text: str, milliseconds: int) -> int:
    # Below 0 is no time to a broker: there -1 is the end and -2 the beginning.
    if milliseconds > LONG_MAX:
        raise ConfigError(f"{option} {text}: it must be at most @{LONG_MAX}")
    return max(milliseconds, 0)
