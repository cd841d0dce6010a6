"""Convert Python patterns to RE2 text, which brokers use to match topic names (KIP-848)."""

import re
from typing import Final

_FLAGS: Final = {re.IGNORECASE: "i", re.MULTILINE: "m", re.DOTALL: "s"}


def regex_of(pattern: "re.Pattern[str]") -> str:
    """Return the pattern with its flags in front; the broker checks whether RE2 supports it.

    Raises:
        ValueError: it uses re.VERBOSE, which RE2 does not have.
    """
    if pattern.flags & re.VERBOSE:
        raise ValueError("brokers use RE2, which has no re.VERBOSE: write the pattern without it")
    flags = "".join(letter for flag, letter in _FLAGS.items() if pattern.flags & flag)
    return f"(?{flags}){pattern.pattern}" if flags else pattern.pattern
