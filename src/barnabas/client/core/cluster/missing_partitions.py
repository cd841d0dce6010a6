"""Describe missing partitions: what exists, and which similar names."""

from collections.abc import Iterable, Mapping
from typing import Final

from barnabas.client.core.cluster.cluster_view import TopicView
from barnabas.types import TopicPartition

ALL_THERE: Final = "by now all of them exist: try again"

_MOST_COMPARED: Final = 10_000
"""Comparing more names letter by letter takes too long for an error."""


def describe_missing(wanted: Iterable[TopicPartition], topics: Mapping[str, TopicView]) -> str:
    """Return which of the topics do not exist or have fewer partitions; one line."""
    highest: dict[str, int] = {}
    for topic, partition in wanted:
        highest[topic] = max(partition, highest.get(topic, partition))
    missing = []
    for topic, partition in sorted(highest.items()):
        view = topics.get(topic)
        if view is None:
            missing.append(f"there is no topic {topic}{_meant(topic, topics)}")
        elif view.numbered(partition) is None:
            count = len(view.partitions)
            missing.append(f"{topic} has {count} partition{'s' * (count != 1)}, counted from 0")
    return "; ".join(missing) or ALL_THERE


def _meant(topic: str, topics: Mapping[str, TopicView]) -> str:
    near = similar_names(topic, topics) if len(topics) <= _MOST_COMPARED else ""
    return f", {near}" if near else " (list_topics lists them)"


def similar_names(name: str, known: Iterable[str]) -> str:
    """Suggest existing names as the end of an error; empty if none is similar."""
    import difflib

    near = difflib.get_close_matches(name, known)
    return f"did you mean {' or '.join(near)}?" if near else ""
