"""Ends of spans: with an error, or with the outcome of what was sent."""

from collections.abc import Iterator
from contextlib import contextmanager

from opentelemetry.trace import Span, Status, StatusCode

from barnabas.client.core.producer.bulk_encoder import SentBatches
from barnabas.client.core.producer.delivery import FailedBatch
from barnabas.client.core.producer.producer_batch import ProducerBatch
from barnabas.opentelemetry.spans import at_offset


@contextmanager
def ended_by_error(span: Span) -> Iterator[None]:
    """End the span, marked as failed, if an exception leaves the `with` block."""
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


def end_with(span: Span, batch: ProducerBatch, index: int) -> None:
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
                span.set_attributes(at_offset(outcome.base_offset + at))
            span.end()

    end()


def end_with_all(span: Span, sent: SentBatches) -> None:
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
