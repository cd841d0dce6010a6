"""What a caller subscribes to: names of topics, or a pattern of them."""

import re
from collections.abc import Iterable

from barnabas.client.core.arguments.listed import listed
from barnabas.client.core.arguments.record_input import checked_topic

Topics = Iterable[str] | re.Pattern[str]
"""Names, or a compiled pattern that whole names match."""


def wanted_topics(topics: Topics) -> "list[str] | re.Pattern[str]":
    """The names, each once, or the pattern.

    Raises:
        TypeError: it is neither.
    """
    if isinstance(topics, re.Pattern):
        checked_topic(topics.pattern)
        return topics
    return list(dict.fromkeys(listed("subscribe", topics, str, "['flights']")))
