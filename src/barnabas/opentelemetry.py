"""Traces of producers and consumers by OpenTelemetry, for those who ask for them.

`instrument(client)` has one client report spans; others, and programs that never import this
module, pay nothing. Names are those of OpenTelemetry's semantic conventions for messaging and Kafka.
It needs `pip install 'barnabas[opentelemetry]'`.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, TypeVar

try:
    from opentelemetry.context import Context
    from opentelemetry.propagate import extract, inject
    from opentelemetry.propagators.textmap import Getter, Setter
    from opentelemetry.trace import (
        Link,
        Span,
        SpanKind,
        Status,
        StatusCode,
        Tracer,
        TracerProvider,
        get_current_span,
        get_tracer,
        set_span_in_context,
        use_span,
    )
except ImportError as error:
    _needed = f"traces need a few more packages: pip install 'barnabas[opentelemetry]' ({error})"
    raise ImportError(_needed) from None

from barnabas import aio
from barnabas.client.core.arguments.record_input import Headers
from barnabas.client.core.producer.bulk_encoder import SentBatches
from barnabas.client.core.producer.delivery import FailedBatch
from barnabas.client.core.producer.producer_batch import ProducerBatch
from barnabas.client.sync.consumer import Consumer
from barnabas.client.sync.producer import Producer
from barnabas.errors import ConfigError
from barnabas.records.columns.record import Record
from barnabas.runtime.clock import SystemClock
from barnabas.version import __version__

_Client = TypeVar("_Client", Producer, Consumer, aio.Producer, aio.Consumer)
_Pairs = list[tuple[str, bytes | None]]

_CLOCK: Final = SystemClock()
_MOST_LINKS: Final = 128
"""OpenTelemetry's own limit for the links of a span."""


def instrument(client: _Client, tracer_provider: TracerProvider | None = None) -> _Client:
    """Have a producer or consumer report spans from now on; returns it.

    `send` makes a PRODUCER span, which ends with the record's outcome, and adds the span's context
    to the record's headers (`traceparent`). `send_arrow` makes one for the call, and `poll` and
    `fetch_arrow` one for each call that returns records; that of `poll` has links to the spans that
    sent them. Without `tracer_provider`, spans go to the global one. For iteration, and for a span
    of what you do with a record, see `processing`.

    Raises:
        TypeError: it is no Producer or Consumer of `barnabas` or `barnabas.aio`.
    """
    for plain, traced in _TRACED.items():
        if isinstance(client, plain):
            # Of a class of its own, and not with functions of its own: those would refer to the
            # client, and it could not be collected when it is unused.
            client.__class__ = traced
            vars(client)["_spans"] = _Spans(_tracer(tracer_provider), _group_of(client))
            return client
    raise TypeError(f"a Producer or Consumer is instrumented, not {type(client).__name__}")


@contextmanager
def processing(record: Record, tracer_provider: TracerProvider | None = None) -> Iterator[Span]:
    """A CONSUMER span for what you do with a record in a `with`: it is the current span there.

    It is a child of the span that sent the record, and linked to it. An exception marks it as failed.
    """
    sender = extract(record.headers, Context(), _GETTER)
    attributes = {
        **_about("process", "process", record.topic),
        "messaging.destination.partition.id": str(record.partition),
        **_at_offset(record.offset),
    }
    if record.value is None:
        attributes["messaging.kafka.message.tombstone"] = True
    span = _tracer(tracer_provider).start_span(
        f"process {record.topic}", sender, SpanKind.CONSUMER, attributes, _links([record])
    )
    with use_span(span, end_on_exit=True):
        yield span


class _Spans:
    """The spans of one client."""

    def __init__(self, tracer: Tracer, group: str | None) -> None:
        self._tracer = tracer
        self._group = group

    def sending(self, topic: str, operation: str, attributes: Mapping[str, Any]) -> Span:
        """A span of what is sent; an outcome ends it."""
        return self._tracer.start_span(
            f"{operation} {topic}",
            kind=SpanKind.PRODUCER,
            attributes={**_about(operation, "send", topic), **attributes},
        )

    def received(self, begun_ns: int, operation: str, count: int, records: list[Record]) -> None:
        """A span of a call that has returned `count` records, with links to those of `records`."""
        if not count:
            return
        topics = {each.topic for each in records}
        topic = topics.pop() if len(topics) == 1 else None
        attributes = {
            **_about(operation, "receive", topic),
            "messaging.batch.message_count": count,
        }
        if self._group is not None:
            attributes["messaging.consumer.group.name"] = self._group
        name = operation if topic is None else f"{operation} {topic}"
        self._tracer.start_span(
            name, None, SpanKind.CLIENT, attributes, _links(records), start_time=begun_ns
        ).end()


class _TracedProducer(Producer):
    _spans: _Spans

    def send(
        self,
        topic: str,
        value: bytes | str | None = None,
        key: bytes | str | None = None,
        partition: int | None = None,
        timestamp_ms: int | None = None,
        headers: Headers = (),
    ) -> Any:
        span = self._spans.sending(topic, "send", _of_record(key, value))
        with _ended_by_error(span):
            carried = _with_context(headers, span)
            sent: Any = super().send(topic, value, key, partition, timestamp_ms, carried)
        _end_with(span, sent.batch, sent.index)
        return sent

    def send_arrow(self, topic: str, data: Any, *names: Any, **columns: Any) -> SentBatches:
        span = self._spans.sending(topic, "send_arrow", {})
        with _ended_by_error(span):
            sent = super().send_arrow(topic, data, *names, **columns)
        _end_with_all(span, sent)
        return sent


class _TracedAsyncProducer(aio.Producer):
    _spans: _Spans

    async def send(
        self,
        topic: str,
        value: bytes | str | None = None,
        key: bytes | str | None = None,
        partition: int | None = None,
        timestamp_ms: int | None = None,
        headers: Headers = (),
    ) -> Any:
        span = self._spans.sending(topic, "send", _of_record(key, value))
        with _ended_by_error(span):
            carried = _with_context(headers, span)
            sent: Any = await super().send(topic, value, key, partition, timestamp_ms, carried)
        _end_with(span, sent.batch, sent.index)
        return sent

    async def send_arrow(self, topic: str, data: Any, *names: Any, **columns: Any) -> SentBatches:
        span = self._spans.sending(topic, "send_arrow", {})
        with _ended_by_error(span):
            sent = await super().send_arrow(topic, data, *names, **columns)
        _end_with_all(span, sent)
        return sent


class _TracedConsumer(Consumer):
    _spans: _Spans

    def poll(self, *arguments: Any, **named: Any) -> list[Record]:
        begun = _CLOCK.time_ns()
        records = super().poll(*arguments, **named)
        self._spans.received(begun, "poll", len(records), records)
        return records

    def fetch_arrow(self, *arguments: Any, **named: Any) -> Any:
        begun = _CLOCK.time_ns()
        table = super().fetch_arrow(*arguments, **named)
        self._spans.received(begun, "fetch_arrow", table.num_rows, [])
        return table


class _TracedAsyncConsumer(aio.Consumer):
    _spans: _Spans

    async def poll(self, *arguments: Any, **named: Any) -> list[Record]:
        begun = _CLOCK.time_ns()
        records = await super().poll(*arguments, **named)
        self._spans.received(begun, "poll", len(records), records)
        return records

    async def fetch_arrow(self, *arguments: Any, **named: Any) -> Any:
        begun = _CLOCK.time_ns()
        table = await super().fetch_arrow(*arguments, **named)
        self._spans.received(begun, "fetch_arrow", table.num_rows, [])
        return table


_TRACED: Final[Mapping[type, Any]] = {
    Producer: _TracedProducer,
    Consumer: _TracedConsumer,
    aio.Producer: _TracedAsyncProducer,
    aio.Consumer: _TracedAsyncConsumer,
}


class _HeaderSetter(Setter[_Pairs]):
    """Puts a context into headers, in place of one that is there: a record may be passed on."""

    def set(self, carrier: _Pairs, key: str, value: str) -> None:
        carrier[:] = [pair for pair in carrier if not (pair and pair[0] == key)]
        carrier.append((key, value.encode()))


class _HeaderGetter(Getter[Iterable[tuple[str, bytes | None]]]):
    """Reads a context from headers; the last of a name counts, as in Kafka's own clients."""

    def get(self, carrier: Iterable[tuple[str, bytes | None]], key: str) -> list[str] | None:
        found = [value for name, value in carrier if name == key and value is not None]
        return [found[-1].decode(errors="replace")] if found else None

    def keys(self, carrier: Iterable[tuple[str, bytes | None]]) -> list[str]:
        return [name for name, _ in carrier]


_SETTER: Final = _HeaderSetter()
_GETTER: Final = _HeaderGetter()


def _tracer(provider: TracerProvider | None) -> Tracer:
    return get_tracer("barnabas", __version__, provider)


def _group_of(client: Any) -> str | None:
    if not isinstance(client, Consumer | aio.Consumer):
        return None
    try:
        return client.group_metadata().group_id
    except ConfigError:
        return None


def _about(operation: str, kind: str, topic: str | None) -> dict[str, Any]:
    found: dict[str, Any] = {
        "messaging.system": "kafka",
        "messaging.operation.name": operation,
        "messaging.operation.type": kind,
    }
    if isinstance(topic, str):
        found["messaging.destination.name"] = topic
    return found


def _at_offset(offset: int) -> dict[str, int]:
    """By its name, and by that which it had before version 1.27 of the conventions."""
    return {"messaging.kafka.offset": offset, "messaging.kafka.message.offset": offset}


def _of_record(key: bytes | str | None, value: bytes | str | None) -> dict[str, Any]:
    """What a span says of a record: no key in bytes that are no text, and nothing of its value."""
    found: dict[str, Any] = {}
    if isinstance(key, str):
        found["messaging.kafka.message.key"] = key
    if value is None:
        found["messaging.kafka.message.tombstone"] = True
    return found


def _with_context(headers: Headers, span: Span) -> Headers:
    """Headers with the span's context; what are none are left for the client to refuse."""
    if isinstance(headers, Mapping | str | bytes) or not isinstance(headers, Iterable):
        return headers
    carried = list(headers)
    inject(carried, set_span_in_context(span), _SETTER)
    return carried


def _links(records: Iterable[Record]) -> list[Link]:
    """Links to the spans that sent records, each once."""
    found: dict[tuple[int, int], Link] = {}
    for record in records:
        if len(found) == _MOST_LINKS:
            break
        if record.headers:
            sender = get_current_span(
                extract(record.headers, Context(), _GETTER)
            ).get_span_context()
            if sender.is_valid:
                found.setdefault((sender.trace_id, sender.span_id), Link(sender))
    return list(found.values())


@contextmanager
def _ended_by_error(span: Span) -> Iterator[None]:
    try:
        yield
    except BaseException as error:
        _fail(span, error)
        span.end()
        raise


def _fail(span: Span, error: BaseException) -> None:
    span.set_attribute("error.type", type(error).__qualname__)
    span.record_exception(error)
    span.set_status(Status(StatusCode.ERROR, str(error)))


def _end_with(span: Span, batch: ProducerBatch, index: int) -> None:
    """End a span when a record has an outcome."""
    span.set_attribute("messaging.destination.partition.id", str(batch.where.partition))

    def end() -> None:
        holds, at = batch.of_record(index)
        outcome = holds.outcome
        if outcome is None:
            holds.when_settled(end)  # Also if its batch is split before.
        elif span.is_recording():
            if isinstance(outcome, FailedBatch):
                _fail(span, outcome.error)
            elif outcome.base_offset >= 0:
                span.set_attributes(_at_offset(outcome.base_offset + at))
            span.end()

    end()


def _end_with_all(span: Span, sent: SentBatches) -> None:
    """End a span when all batches of a call have an outcome."""
    span.set_attribute("messaging.batch.message_count", sent.count)

    def end() -> None:
        for batch in sent.batches:
            if (part := batch.unsettled_part()) is not None:
                part.when_settled(end)
                return
        if span.is_recording():
            for batch in sent.batches:
                outcome = batch.of_record(0)[0].outcome
                if isinstance(outcome, FailedBatch):
                    _fail(span, outcome.error)
                    break
            span.end()

    end()
