"""auto.offset.reset: where a partition without a position starts. Looks nothing up.

Source: KIP-1106 (by_duration).
"""

import re
from typing import Final

from barnabas.client.core.admin.descriptions import EARLIEST, LATEST
from barnabas.errors import ConfigError

BY_AGE: Final = -1000
"""Instead of a timestamp: records of the configured age at the time of the lookup."""

_ENDS: Final = {"earliest": EARLIEST, "latest": LATEST, "none": None}
_BY_DURATION: Final = "by_duration:"
_DURATION: Final = re.compile(
    r"P(?:(?P<D>\d+)D)?(?:T(?=\d)(?:(?P<H>\d+)H)?(?:(?P<M>\d+)M)?(?:(?P<S>\d+(?:\.\d+)?)S)?)?",
    re.IGNORECASE,
)
_SECONDS: Final = {"D": 86_400, "H": 3600, "M": 60, "S": 1}


def reset_of(text: str) -> tuple[int | None, int]:
    """Parse the property: an end of the log, None for an error, or BY_AGE; and the age in ms.

    Raises:
        ConfigError: it is malformed.
    """
    word = text.lower()
    if word in _ENDS:
        return _ENDS[word], 0
    if word.startswith(_BY_DURATION):
        found = _DURATION.fullmatch(text[len(_BY_DURATION) :])
        if found is not None and any(found.groups()):
            parts = found.groupdict(default="0")
            seconds = sum(float(parts[unit]) * each for unit, each in _SECONDS.items())
            return BY_AGE, round(seconds * 1000)
    what = "it must be earliest, latest, none, or by_duration: and a time such as PT1H or P7D"
    raise ConfigError(f"auto.offset.reset={text}: {what}")
