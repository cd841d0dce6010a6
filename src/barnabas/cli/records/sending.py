"""Send lines as records; on failure, report the line and how many records are stored."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from io import BufferedIOBase

from barnabas.cli.arguments.waiting_notice import waiting_notice
from barnabas.client.core.producer.delivery_tracker import DeliveryTracker
from barnabas.client.sync.producer import Producer
from barnabas.errors import ConfigError, KafkaError
from barnabas.records.record_json import RecordToSend


class Watched(BufferedIOBase):
    """A stream that calls `before` before each read."""

    def __init__(self, stream: BufferedIOBase, before: Callable[[], None]) -> None:
        self._stream = stream
        self._before = before

    def read1(self, size: int = -1, /) -> bytes:
        """Read at most `size` bytes."""
        self._before()
        return self._stream.read1(size)


def send_all(
    producer: Producer,
    topic: str,
    records: Iterator[RecordToSend],
    receipts: DeliveryTracker,
    servers: str,
) -> int:
    """Send one record per line, wait until they are stored, and return their number.

    Raises:
        KafkaError: a line is invalid, or its record was not delivered; the first such line. All
            earlier lines were sent; a note on the error counts the stored records.
    """
    send, add = producer.send, receipts.add
    try:
        first = next(records, None)
        if first is not None:
            key, value, headers, partition, when = first
            with waiting_notice(servers):
                add(send(topic, value, key, partition, when, headers))
        for key, value, headers, partition, when in records:
            add(send(topic, value, key, partition, when, headers))
        producer.flush()
        receipts.look()
    except KafkaError as error:
        raise _with_line(error, producer, receipts) from None
    return len(receipts)


def _with_line(error: KafkaError, producer: Producer, receipts: DeliveryTracker) -> KafkaError:
    with suppress(KafkaError):  # The receipts contain the result.
        producer.flush()
    found = receipts.summary()
    number, why = found.lost or (found.count + 1, error)
    if found.count:
        # An error about the line itself already names it.
        line = (
            "" if why is error and isinstance(error, ConfigError) else f"this was line {number}; "
        )
        many = {0: "no record was", 1: "1 record was"}.get(
            found.stored, f"{found.stored} records were"
        )
        why.add_note(f"{line}{many} stored")
    return why
