"""Partitions in command-line notation: TOPIC:PARTITION."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from barnabas.errors import BrokerError
from barnabas.types import TopicPartition


def shown(where: TopicPartition) -> str:
    """A partition in command-line notation; no topic name contains a colon."""
    return f"{where.topic}:{where.partition}"


@contextmanager
def in_typed_notation(places: Iterable[TopicPartition]) -> Iterator[None]:
    """Rewrite a client error about these partitions to the notation of `shown`; the client writes dogs-1."""
    try:
        yield
    except BrokerError as error:
        why = error.why
        for topic in {where.topic for where in places}:
            why = re.sub(rf"(?<![\w.-]){re.escape(topic)}-(\d+)\b", rf"{topic}:\1", why)
        if why == error.why:
            raise
        renamed = BrokerError(error.code, why)
        for note in getattr(error, "__notes__", ()):
            renamed.add_note(note)
        raise renamed from None
