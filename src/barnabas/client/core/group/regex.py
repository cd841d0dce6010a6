"""Python's patterns as the text of RE2, which brokers match the names of topics by (KIP-848)."""

import re
from typing import Final

_FLAGS: Final = {re.IGNORECASE: "i", re.MULTILINE: "m", re.DOTALL: "s"}


def regex_of(pattern: "re.Pattern[str]") -> str:
    """The pattern with its flags in front; whether RE2 knows what it holds is the broker's to say.

    Raises:
        ValueError: it is written with re.VERBOSE, which RE2 has not.
    """
    if pattern.flags & re.VERBOSE:
        raise ValueError("brokers match by RE2, which has no re.VERBOSE: write the pattern without")
    flags = "".join(letter for flag, letter in _FLAGS.items() if pattern.flags & flag)
    return f"(?{flags}){pattern.pattern}" if flags else pattern.pattern
