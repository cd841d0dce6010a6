"""ClientSpans of sending, receiving and processing records, and their attributes."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from opentelemetry.context import Context
from opentelemetry.propagate import extract
from opentelemetry.trace import (
    Link,
    Span,
    SpanKind,
    Tracer,
    TracerProvider,
    get_current_span,
    get_tracer,
    use_span,
)

from barnabas.opentelemetry.carried_context import GETTER
from barnabas.records.columns.record import Record
from barnabas.version import __version__

_MOST_LINKS: Final = 128
"""OpenTelemetry's own limit for the links of a span."""


@contextmanager
def processing(record: Record, tracer_provider: TracerProvider | None = None) -> Iterator[Span]:
    """A CONSUMER span for what you do with a record in a `with`: it is the current span there.

    It is a child of the span that sent the record, and linked to it. An exception marks it as failed.
    """
    sender = extract(record.headers, Context(), GETTER)
    attributes = {
        **about("process", "process", record.topic),
        "messaging.destination.partition.id": str(record.partition),
        **at_offset(record.offset),
    }
    if record.value is None:
        attributes["messaging.kafka.message.tombstone"] = True
    span = tracer(tracer_provider).start_span(
        f"process {record.topic}", sender, SpanKind.CONSUMER, attributes, links([record])
    )
    with use_span(span, end_on_exit=True):
        yield span


class ClientSpans:
    """The spans of one client."""

    def __init__(self, tracer: Tracer, group: str | None) -> None:
        self._tracer = tracer
        self._group = group

    def sending(self, topic: str, operation: str, attributes: Mapping[str, Any]) -> Span:
        """A span of what is sent; an outcome ends it."""
        return self._tracer.start_span(
            f"{operation} {topic}",
            kind=SpanKind.PRODUCER,
            attributes={**about(operation, "send", topic), **attributes},
        )

    def received(self, begun_ns: int, operation: str, count: int, records: list[Record]) -> None:
        """A span of a call that has returned `count` records, with links to those of `records`."""
        if not count:
            return
        topics = {each.topic for each in records}
        topic = topics.pop() if len(topics) == 1 else None
        attributes = {
            **about(operation, "receive", topic),
            "messaging.batch.message_count": count,
        }
        if self._group is not None:
            attributes["messaging.consumer.group.name"] = self._group
        name = operation if topic is None else f"{operation} {topic}"
        self._tracer.start_span(
            name, None, SpanKind.CLIENT, attributes, links(records), start_time=begun_ns
        ).end()


def tracer(provider: TracerProvider | None) -> Tracer:
    """The tracer of this package; without a provider that of the global one."""
    return get_tracer("barnabas", __version__, provider)


def about(operation: str, kind: str, topic: str | None) -> dict[str, Any]:
    """The attributes of every span."""
    found: dict[str, Any] = {
        "messaging.system": "kafka",
        "messaging.operation.name": operation,
        "messaging.operation.type": kind,
    }
    if isinstance(topic, str):
        found["messaging.destination.name"] = topic
    return found


def at_offset(offset: int) -> dict[str, int]:
    """By its name, and by that which it had before version 1.27 of the conventions."""
    return {"messaging.kafka.offset": offset, "messaging.kafka.message.offset": offset}


def of_record(key: bytes | str | None, value: bytes | str | None) -> dict[str, Any]:
    """What a span says of a record: no key in bytes that are no text, and nothing of its value."""
    found: dict[str, Any] = {}
    if isinstance(key, str):
        found["messaging.kafka.message.key"] = key
    if value is None:
        found["messaging.kafka.message.tombstone"] = True
    return found


def links(records: Iterable[Record]) -> list[Link]:
    """Links to the spans that sent records, each once."""
    found: dict[tuple[int, int], Link] = {}
    for record in records:
        if len(found) == _MOST_LINKS:
            break
        if record.headers:
            sender = get_current_span(extract(record.headers, Context(), GETTER)).get_span_context()
            if sender.is_valid:
                found.setdefault((sender.trace_id, sender.span_id), Link(sender))
    return list(found.values())
