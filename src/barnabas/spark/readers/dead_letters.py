"""Records whose values cannot be decoded go to a topic of their own, with the reason in headers.

At least once: a task that Spark runs again, and each further action on a DataFrame, sends them again.

Source: KIP-298, for the names of the headers and for what of a record is kept.
"""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from barnabas.client.sync.producer import Producer
from barnabas.config.clients import ProducerConfig
from barnabas.errors import KafkaError
from barnabas.spark.errors import writing
from barnabas.spark.options.option_values import TASK_REFUSED_MS
from barnabas.spark.options.read_options import ReadOptions
from barnabas.spark.values.decoded import Decoded
from barnabas.types import TopicPartition

TOPIC: Final = "__connect.errors.topic"
PARTITION: Final = "__connect.errors.partition"
OFFSET: Final = "__connect.errors.offset"
REASON: Final = "__connect.errors.exception.message"


class DeadLetters:
    """Puts records of one task aside; connects for the first one. Close it."""

    def __init__(self, options: ReadOptions, where: TopicPartition) -> None:
        topic = options.formats.bad_topic
        assert topic is not None, "the options were checked"
        self._topic = topic
        self._where = where
        named = {key: text for key, text in options.kafka.items() if ProducerConfig.find(key)}
        ours = {
            "client.id": options.group_id_prefix,
            "bootstrap.refused.timeout.ms": TASK_REFUSED_MS,
        }
        self._properties = ours | named
        self._producer: Producer | None = None

    def send(self, columns: Mapping[str, Any], decoded: Decoded) -> None:
        """Send the records of all bad rows and wait until they are acknowledged.

        Args:
            columns: of the batch as it was read, with key, value, offset, timestamp and headers.
            decoded: what became of it.

        Raises:
            WriteRefused, Unreachable: they could not be sent.
        """
        with writing():
            if self._producer is None:
                self._producer = Producer(self._properties)
            for row in decoded.bad:
                at = columns["timestamp"][row]
                kept = columns["headers"][row].as_py() or ()
                self._producer.send(
                    self._topic,
                    columns["value"][row].as_py(),
                    columns["key"][row].as_py(),
                    headers=[
                        *((each["key"], each["value"]) for each in kept),
                        (TOPIC, self._where.topic.encode()),
                        (PARTITION, b"%d" % self._where.partition),
                        (OFFSET, b"%d" % columns["offset"][row].as_py()),
                        (REASON, decoded.why(row).encode()),
                    ],
                    timestamp_ms=at.value // 1000 if at.is_valid else None,
                )
            self._producer.flush()

    def close(self) -> None:
        """Disconnect. What was sent is acknowledged, or `send` has raised."""
        if self._producer is not None:
            with suppress(KafkaError):
                self._producer.close(0)
