"""Sends lines as records; where one cannot go, says which it was and how many are stored."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from io import BufferedIOBase

from barnabas.cli.arguments.patience import patience
from barnabas.cli.records.record_json import Outgoing
from barnabas.client.core.producer.receipts import Receipts
from barnabas.client.sync.producer import Producer
from barnabas.errors import ConfigError, KafkaError


class Watched(BufferedIOBase):
    """A stream that calls `before` each time more of it is read."""

    def __init__(self, stream: BufferedIOBase, before: Callable[[], None]) -> None:
        self._stream = stream
        self._before = before

    def read1(self, size: int = -1, /) -> bytes:
        """Some bytes, at most `size`."""
        self._before()
        return self._stream.read1(size)


def send_all(
    producer: Producer, topic: str, records: Iterator[Outgoing], receipts: Receipts, servers: str
) -> int:
    """Send the records, one from each line, and wait until they are stored; gives their number.

    Raises:
        KafkaError: a line is wrong, or its record was not delivered: the first of them. All that
            came before was sent; the note of the error counts what is stored.
    """
    send, add = producer.send, receipts.add
    try:
        first = next(records, None)
        if first is not None:
            key, value, headers, partition, when = first
            with patience(servers):
                add(send(topic, value, key, partition, when, headers))
        for key, value, headers, partition, when in records:
            add(send(topic, value, key, partition, when, headers))
        producer.flush()
        receipts.look()
    except KafkaError as error:
        raise _with_line(error, producer, receipts) from None
    return len(receipts)


def _with_line(error: KafkaError, producer: Producer, receipts: Receipts) -> KafkaError:
    with suppress(KafkaError):  # The receipts tell what came of it.
        producer.flush()
    found = receipts.summary()
    number, why = found.lost or (found.count + 1, error)
    if found.count:
        # What is wrong with a line itself names it.
        line = (
            "" if why is error and isinstance(error, ConfigError) else f"that was line {number}; "
        )
        many = {0: "no record was", 1: "1 record was"}.get(
            found.stored, f"{found.stored} records were"
        )
        why.add_note(f"{line}{many} stored")
    return why
