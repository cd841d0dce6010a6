"""A context in headers, read by clients that we did not write with OpenTelemetry's own propagator."""

import asyncio
from typing import Any

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from confluent_kafka import Consumer as ConfluentConsumer
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import get_current_span
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from barnabas import Consumer, Producer
from barnabas.opentelemetry import instrument
from barnabas.testing import EmbeddedBroker

pytestmark = pytest.mark.interop

PROPAGATOR = TraceContextTextMapPropagator()
TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
"""The example of W3C's recommendation."""


def ids_of(headers: Any) -> tuple[int, int]:
    """What the propagator reads from headers of a client."""
    carrier = {name: value.decode() for name, value in headers}
    found = get_current_span(PROPAGATOR.extract(carrier)).get_span_context()
    return found.trace_id, found.span_id


def test_others_read_what_we_send() -> None:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))

    async def of_aiokafka(servers: str) -> Any:
        async with AIOKafkaConsumer(
            "traced", bootstrap_servers=servers, auto_offset_reset="earliest"
        ) as consumer:
            return (await consumer.getone()).headers

    with EmbeddedBroker() as broker:
        servers = broker.bootstrap_servers
        broker.create_topic("traced")
        with Producer(bootstrap_servers=servers) as plain:
            instrument(plain, provider).send("traced", "barks").result()
        confluent = ConfluentConsumer(
            {"bootstrap.servers": servers, "group.id": "g", "auto.offset.reset": "earliest"}
        )
        confluent.subscribe(["traced"])
        message = confluent.poll(30)
        assert message is not None
        found = [ids_of(message.headers()), ids_of(asyncio.run(of_aiokafka(servers)))]
        confluent.close()
    (span,) = exporter.get_finished_spans()
    assert isinstance(span, ReadableSpan)
    context = span.get_span_context()
    assert context is not None
    assert found == [(context.trace_id, context.span_id)] * 2


def test_we_read_what_others_send() -> None:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))

    async def send(servers: str) -> None:
        async with AIOKafkaProducer(bootstrap_servers=servers) as producer:
            headers = [("traceparent", TRACEPARENT.encode())]
            await producer.send_and_wait("theirs", b"meows", headers=headers)

    with EmbeddedBroker() as broker:
        broker.create_topic("theirs")
        asyncio.run(send(broker.bootstrap_servers))
        with Consumer(bootstrap_servers=broker.bootstrap_servers) as plain:
            consumer = instrument(plain, provider)
            consumer.assign([("theirs", 0)])
            consumer.seek_to_beginning()
            assert len(consumer.poll(10)) == 1
    (polled,) = exporter.get_finished_spans()
    (link,) = polled.links
    assert f"00-{link.context.trace_id:032x}-{link.context.span_id:016x}-01" == TRACEPARENT
