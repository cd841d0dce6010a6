"""Partitions as they are typed: TOPIC:PARTITION."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from barnabas.errors import BrokerError
from barnabas.types import TopicPartition


def shown(where: TopicPartition) -> str:
    """A partition as commands take it: no name of a topic has a colon."""
    return f"{where.topic}:{where.partition}"


@contextmanager
def as_typed(places: Iterable[TopicPartition]) -> Iterator[None]:
    """Have errors of the client, which writes dogs-1, name these partitions as `shown` does."""
    try:
        yield
    except BrokerError as error:
        why = error.why
        for topic in {where.topic for where in places}:
            why = re.sub(rf"(?<![\w.-]){re.escape(topic)}-(\d+)\b", rf"{topic}:\1", why)
        if why == error.why:
            raise
        told = BrokerError(error.code, why)
        for note in getattr(error, "__notes__", ()):
            told.add_note(note)
        raise told from None
