"""Partitions in command-line notation: TOPIC:PARTITION, or TOPIC for all of them."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import click

from barnabas.errors import BrokerError
from barnabas.types import TopicPartition


def shown(where: TopicPartition) -> str:
    """A partition in command-line notation; no topic name contains a colon."""
    return f"{where.topic}:{where.partition}"


def parsed(places: Iterable[str]) -> Iterator[tuple[str, int | None]]:
    """Topics and partitions as they were typed; None: all partitions of the topic.

    Raises:
        click.UsageError: what follows the colon is not a number.
    """
    for text in places:
        topic, colon, number = text.partition(":")
        if colon and not (number.isascii() and number.isdigit()):
            raise click.UsageError(f"{text}: {number!r} is not a partition number")
        yield topic, int(number) if colon else None


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
