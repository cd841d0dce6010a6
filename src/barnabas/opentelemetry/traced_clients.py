"""Producers and consumers that report spans: classes of their own, to which `instrument` turns a client."""

from collections.abc import Mapping
from typing import Any, Final, TypeVar

from opentelemetry.trace import TracerProvider

from barnabas import aio
from barnabas.client.core.arguments.record_input import Headers
from barnabas.client.core.producer.bulk_encoder import SentBatches
from barnabas.client.sync.consumer import Consumer
from barnabas.client.sync.producer import Producer
from barnabas.errors import ConfigError
from barnabas.opentelemetry.carried_context import with_context
from barnabas.opentelemetry.outcomes import end_with, end_with_all, ended_by_error
from barnabas.opentelemetry.spans import ClientSpans, of_record, tracer
from barnabas.records.columns.record import Record
from barnabas.runtime.clock import SystemClock

_Client = TypeVar("_Client", Producer, Consumer, aio.Producer, aio.Consumer)

_CLOCK: Final = SystemClock()


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
            vars(client)["_spans"] = ClientSpans(tracer(tracer_provider), _group_of(client))
            return client
    raise TypeError(f"a Producer or Consumer is instrumented, not {type(client).__name__}")


class _TracedProducer(Producer):
    _spans: ClientSpans

    def send(
        self,
        topic: str,
        value: bytes | str | None = None,
        key: bytes | str | None = None,
        partition: int | None = None,
        timestamp_ms: int | None = None,
        headers: Headers = (),
    ) -> Any:
        span = self._spans.sending(topic, "send", of_record(key, value))
        with ended_by_error(span):
            carried = with_context(headers, span)
            sent: Any = super().send(topic, value, key, partition, timestamp_ms, carried)
        end_with(span, sent.batch, sent.index)
        return sent

    def send_arrow(self, topic: str, data: Any, *names: Any, **columns: Any) -> SentBatches:
        span = self._spans.sending(topic, "send_arrow", {})
        with ended_by_error(span):
            sent = super().send_arrow(topic, data, *names, **columns)
        end_with_all(span, sent)
        return sent


class _TracedAsyncProducer(aio.Producer):
    _spans: ClientSpans

    async def send(
        self,
        topic: str,
        value: bytes | str | None = None,
        key: bytes | str | None = None,
        partition: int | None = None,
        timestamp_ms: int | None = None,
        headers: Headers = (),
    ) -> Any:
        span = self._spans.sending(topic, "send", of_record(key, value))
        with ended_by_error(span):
            carried = with_context(headers, span)
            sent: Any = await super().send(topic, value, key, partition, timestamp_ms, carried)
        end_with(span, sent.batch, sent.index)
        return sent

    async def send_arrow(self, topic: str, data: Any, *names: Any, **columns: Any) -> SentBatches:
        span = self._spans.sending(topic, "send_arrow", {})
        with ended_by_error(span):
            sent = await super().send_arrow(topic, data, *names, **columns)
        end_with_all(span, sent)
        return sent


class _TracedConsumer(Consumer):
    _spans: ClientSpans

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
    _spans: ClientSpans

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


def _group_of(client: Any) -> str | None:
    if not isinstance(client, Consumer | aio.Consumer):
        return None
    try:
        return client.group_metadata().group_id
    except ConfigError:
        return None
