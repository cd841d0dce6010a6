"""What to say of partitions that are not there: what is, and what may have been meant."""

from collections.abc import Iterable, Mapping
from typing import Final

from barnabas.client.core.cluster.cluster_view import TopicView
from barnabas.types import TopicPartition

ALL_THERE: Final = "by now all of them are there: try again"

_MOST_COMPARED: Final = 10_000
"""Names are compared letter by letter: of more of them that takes too long for an error."""


def absence(wanted: Iterable[TopicPartition], topics: Mapping[str, TopicView]) -> str:
    """Which topics, of all that there are, do not exist or have fewer partitions; one line."""
    highest: dict[str, int] = {}
    for topic, partition in wanted:
        highest[topic] = max(partition, highest.get(topic, partition))
    told = []
    for topic, partition in sorted(highest.items()):
        view = topics.get(topic)
        if view is None:
            told.append(f"there is no topic {topic}{_meant(topic, topics)}")
        elif view.numbered(partition) is None:
            count = len(view.partitions)
            told.append(f"{topic} has {count} partition{'s' * (count != 1)}, counted from 0")
    return "; ".join(told) or ALL_THERE


def _meant(topic: str, topics: Mapping[str, TopicView]) -> str:
    near = meant(topic, topics) if len(topics) <= _MOST_COMPARED else ""
    return f", {near}" if near else " (list_topics tells which there are)"


def meant(name: str, known: Iterable[str]) -> str:
    """Which of those that there are may have been meant, for behind an error; nothing if none is near."""
    import difflib

    near = difflib.get_close_matches(name, known)
    return f"is {' or '.join(near)} meant?" if near else ""
