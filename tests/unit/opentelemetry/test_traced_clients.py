"""Traced clients: spans of producers and consumers, as OpenTelemetry's SDK collects them."""

import asyncio
import gc
import subprocess
import sys
import weakref
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode, get_current_span, use_span

from barnabas import BrokerError, Consumer, Producer, aio
from barnabas.opentelemetry import instrument, processing
from barnabas.testing import EmbeddedBroker


class Traces:
    """A provider, and the spans that have ended."""

    def __init__(self) -> None:
        self.exporter = InMemorySpanExporter()
        self.provider = TracerProvider()
        self.provider.add_span_processor(SimpleSpanProcessor(self.exporter))

    def named(self, name: str) -> list[ReadableSpan]:
        return [each for each in self.exporter.get_finished_spans() if each.name == name]


@pytest.fixture
def traces() -> Traces:
    return Traces()


@pytest.fixture(scope="module")
def broker() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker() as running:
        yield running


def attributes(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


def context_of(span: ReadableSpan) -> tuple[int, int]:
    context = span.get_span_context()
    assert context is not None
    return context.trace_id, context.span_id


def test_a_record_from_its_sender_to_what_is_done_with_it(
    broker: EmbeddedBroker, traces: Traces
) -> None:
    topic = "traced"
    broker.create_topic(topic)
    given = [("origin", b"OSL"), ("traceparent", b"of an earlier record")]
    with Producer(bootstrap_servers=broker.bootstrap_servers) as plain:
        producer = instrument(plain, traces.provider)
        assert producer is plain
        first = producer.send(topic, "barks", key="rex", headers=given)
        second = producer.send(topic, None, partition=0)
        assert (first.result().offset, second.result().offset) == (0, 1)
    sent = traces.named(f"send {topic}")
    assert [span.kind for span in sent] == [SpanKind.PRODUCER] * 2
    assert attributes(sent[0]) == {
        "messaging.system": "kafka",
        "messaging.operation.name": "send",
        "messaging.operation.type": "send",
        "messaging.destination.name": topic,
        "messaging.destination.partition.id": "0",
        "messaging.kafka.message.key": "rex",
        "messaging.kafka.offset": 0,
        "messaging.kafka.message.offset": 0,
    }
    assert attributes(sent[1])["messaging.kafka.message.tombstone"] is True

    with instrument(
        Consumer(bootstrap_servers=broker.bootstrap_servers, group_id="dogs"), traces.provider
    ) as consumer:
        consumer.assign([(topic, 0)])
        consumer.seek_to_beginning()
        records = consumer.poll(10)
    trace_id, span_id = context_of(sent[0])
    context = sent[0].get_span_context()
    assert context is not None
    assert list(records[0].headers) == [
        ("origin", b"OSL"),
        ("traceparent", f"00-{trace_id:032x}-{span_id:016x}-{context.trace_flags:02x}".encode()),
    ]
    (polled,) = traces.named(f"poll {topic}")
    assert polled.kind is SpanKind.CLIENT
    assert [(link.context.trace_id, link.context.span_id) for link in polled.links] == [
        context_of(each) for each in sent
    ]
    about = {"messaging.batch.message_count": 2, "messaging.consumer.group.name": "dogs"}
    assert attributes(polled).items() >= about.items()

    chased: list[bool] = []

    def chase() -> None:
        with processing(records[0], traces.provider) as span:
            chased.append(get_current_span() is span)
            raise ValueError("cats")

    with pytest.raises(ValueError, match="cats"):
        chase()
    assert chased == [True]
    (done,) = traces.named(f"process {topic}")
    assert done.kind is SpanKind.CONSUMER
    assert done.status.status_code is StatusCode.ERROR
    assert done.parent is not None
    assert (done.parent.trace_id, done.parent.span_id) == context_of(sent[0])
    assert attributes(done)["messaging.kafka.offset"] == 0


def test_a_sender_is_a_child_of_the_current_span(broker: EmbeddedBroker, traces: Traces) -> None:
    broker.create_topic("nested")
    request = traces.provider.get_tracer("test").start_span("request")
    with Producer(bootstrap_servers=broker.bootstrap_servers) as plain:
        producer = instrument(plain, traces.provider)
        with use_span(request):
            producer.send("nested", "barks").result()
    (sent,) = traces.named("send nested")
    assert sent.parent == request.get_span_context()


def test_what_is_refused_has_an_error(broker: EmbeddedBroker, traces: Traces) -> None:
    broker.create_topic("refused")
    with Producer(bootstrap_servers=broker.bootstrap_servers) as plain:
        producer = instrument(plain, traces.provider)
        with broker.faults.fail("Produce", error="INVALID_RECORD", topic="refused"):
            sending = producer.send("refused", "barks")
            with pytest.raises(BrokerError):
                sending.result()
        with pytest.raises(TypeError, match="headers must be pairs"):
            producer.send("refused", "barks", headers={"a": b"mapping"})  # type: ignore[dict-item]
    stored, given = traces.named("send refused")
    assert stored.status.status_code is given.status.status_code is StatusCode.ERROR
    assert attributes(stored)["error.type"] == "BrokerError"
    assert attributes(given)["error.type"] == "TypeError"


def test_a_table_has_one_span(broker: EmbeddedBroker, traces: Traces) -> None:
    broker.create_topic("tables", 3)
    table = pa.table({"key": [str(one) for one in range(500)], "value": ["x"] * 500})
    with Producer(bootstrap_servers=broker.bootstrap_servers) as plain:
        instrument(plain, traces.provider).send_arrow("tables", table).result()
    (sent,) = traces.named("send_arrow tables")
    assert sent.kind is SpanKind.PRODUCER
    assert attributes(sent)["messaging.batch.message_count"] == 500
    with Consumer(bootstrap_servers=broker.bootstrap_servers) as plain_consumer:
        consumer = instrument(plain_consumer, traces.provider)
        consumer.assign([("tables", one) for one in range(3)])
        consumer.seek_to_beginning()
        calls: list[int] = []
        while sum(calls) < 500:
            calls.append(consumer.fetch_arrow(10).num_rows)
    found = traces.named("fetch_arrow")
    assert [attributes(each)["messaging.batch.message_count"] for each in found] == calls


def test_the_asyncio_clients(broker: EmbeddedBroker, traces: Traces) -> None:
    broker.create_topic("awaited")

    async def run() -> None:
        async with aio.Producer(bootstrap_servers=broker.bootstrap_servers) as plain:
            producer = instrument(plain, traces.provider)
            await (await producer.send("awaited", "barks"))
            table = pa.table({"value": ["a", "b"]})
            sent = await producer.send_arrow("awaited", table)
            await producer.flush()
            assert sent.done()
        async with aio.Consumer(bootstrap_servers=broker.bootstrap_servers) as plain_consumer:
            consumer = instrument(plain_consumer, traces.provider)
            consumer.assign([("awaited", 0)])
            consumer.seek_to_beginning()
            found = 0
            while found < 3:
                found += len(await consumer.poll(10))
            assert await consumer.poll(0) == []

    asyncio.run(run())
    (sent,) = traces.named("send awaited")
    assert attributes(sent)["messaging.kafka.offset"] == 0
    assert len(traces.named("send_arrow awaited")) == 1
    polls = traces.named("poll awaited")
    assert sum(attributes(each)["messaging.batch.message_count"] for each in polls) == 3
    links = [link.context.span_id for each in polls for link in each.links]
    assert links == [context_of(sent)[1]]


def test_what_is_no_context_is_no_link(broker: EmbeddedBroker, traces: Traces) -> None:
    broker.create_topic("hostile")
    with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        for value in (b"\xff\xfe", b"", None, b"00-" + b"0" * 32 + b"-" + b"0" * 16 + b"-01"):
            producer.send("hostile", "x", headers=[("traceparent", value)])
    with Consumer(bootstrap_servers=broker.bootstrap_servers) as plain:
        consumer = instrument(plain, traces.provider)
        consumer.assign([("hostile", 0)])
        consumer.seek_to_beginning()
        records = consumer.poll(10)
    (polled,) = traces.named("poll hostile")
    assert not polled.links
    with processing(records[0], traces.provider):
        pass
    assert traces.named("process hostile")[0].parent is None


def test_other_clients_are_as_they_were(broker: EmbeddedBroker, traces: Traces) -> None:
    with (
        Producer(bootstrap_servers=broker.bootstrap_servers) as plain,
        Producer(bootstrap_servers=broker.bootstrap_servers) as traced,
    ):
        instrument(traced, traces.provider)
        assert type(plain) is Producer
        assert isinstance(traced, Producer)
        with pytest.raises(TypeError, match="not Traces"):
            instrument(traces)  # type: ignore[type-var]


def test_an_unused_client_is_collected(broker: EmbeddedBroker, traces: Traces) -> None:
    consumer = instrument(Consumer(bootstrap_servers=broker.bootstrap_servers), traces.provider)
    consumer.close()
    gc.disable()
    try:
        seen = weakref.ref(consumer)
        del consumer
        assert seen() is None
    finally:
        gc.enable()


def test_without_the_package_a_sentence_names_it() -> None:
    program = "import sys; sys.modules['opentelemetry'] = None; import barnabas.opentelemetry"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "pip install 'barnabas[opentelemetry]'" in done.stderr
