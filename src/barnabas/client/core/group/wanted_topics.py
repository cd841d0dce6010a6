"""A caller's subscription: topic names, or a pattern."""

import re
from collections.abc import Iterable

from barnabas.client.core.arguments.list_arguments import listed
from barnabas.client.core.arguments.record_input import checked_topic

Topics = Iterable[str] | re.Pattern[str]
"""Names, or a compiled pattern that must match whole names."""


def wanted_topics(topics: Topics) -> "list[str] | re.Pattern[str]":
    """Return the distinct names, or the pattern.

    Raises:
        TypeError: it is neither.
    """
    if isinstance(topics, re.Pattern):
        checked_topic(topics.pattern)
        return topics
    return list(dict.fromkeys(listed("subscribe", topics, str, "['flights']")))
