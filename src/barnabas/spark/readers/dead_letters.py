"""Dead letters: records whose values cannot be decoded, sent to a topic with the reason in headers.

They are sent at least once: a task that Spark repeats, and each further action on a DataFrame, sends them
again.

Source: KIP-298, for the names of the headers and the kept parts of a record.
"""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from barnabas.client.sync.producer import Producer
from barnabas.config.clients import ProducerConfig
from barnabas.errors import ConnectionFailed, KafkaError
from barnabas.spark.errors import WriteRefused, writing
from barnabas.spark.options.option_values import TASK_REFUSED_MS
from barnabas.spark.options.read_options import ReadOptions
from barnabas.spark.values.decoded import Decoded
from barnabas.types import TopicPartition

TOPIC: Final = "__connect.errors.topic"
PARTITION: Final = "__connect.errors.partition"
OFFSET: Final = "__connect.errors.offset"
REASON: Final = "__connect.errors.exception.message"


class DeadLetters:
    """Sends the bad records of one task; connects with the first one. Close it."""

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
            columns: those of the batch as read: key, value, offset, timestamp and headers.
            decoded: the result of decoding.

        Raises:
            WriteRefused, Unreachable: they could not be sent.
        """
        with writing():
            if self._producer is None:
                self._producer = Producer(self._properties)
            try:
                self._send_rows(self._producer, columns, decoded)
            except ConnectionFailed:
                raise
            except KafkaError as error:
                # The query only reads: the message says what it writes, and why.
                raise WriteRefused(
                    f"bad records of {self._where.topic}-{self._where.partition} cannot be sent to "
                    f"the topic {self._topic}, which option 'badRecordsTopic' names: {error}"
                ) from None

    def _send_rows(self, producer: Producer, columns: Mapping[str, Any], decoded: Decoded) -> None:
        for row in decoded.bad:
            at = columns["timestamp"][row]
            kept = columns["headers"][row].as_py() or ()
            producer.send(
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
        producer.flush()

    def close(self) -> None:
        """Disconnect. All sent records are acknowledged: otherwise `send` has raised."""
        if self._producer is not None:
            with suppress(KafkaError):
                self._producer.close(0)
