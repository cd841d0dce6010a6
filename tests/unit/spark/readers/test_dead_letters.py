"""How a task connects to put records aside; what arrives is shown in tests/spark."""

from typing import Any

import pyarrow as pa
import pytest

from barnabas.errors import BrokerError, ConnectionFailed, ErrorCode
from barnabas.spark.errors import Unreachable, WriteRefused
from barnabas.spark.options.read_options import read_options
from barnabas.spark.readers import dead_letters
from barnabas.spark.readers.dead_letters import DeadLetters
from barnabas.spark.values.avro_format import AvroFormat
from barnabas.spark.values.avro_schema import avro_schema
from barnabas.types import TopicPartition

INTS = AvroFormat(avro_schema('"int"'))
COLUMNS: dict[str, Any] = {
    "offset": pa.array([10, 11]),
    "key": pa.array([b"a", b"b"], pa.binary()),
    "value": pa.array([b"\2", b""], pa.binary()),
    "timestamp": pa.array([5, 6], pa.timestamp("us")),
    "headers": pa.array(
        [None, None], pa.list_(pa.struct({"key": pa.utf8(), "value": pa.binary()}))
    ),
}


class Connected:
    """A producer that only counts."""

    made: list["Connected"]

    def __init__(self, _properties: Any) -> None:
        self.sent: list[bytes] = []
        self.unflushed = 0
        self.open = True
        Connected.made.append(self)

    def send(self, _topic: str, _value: bytes, key: bytes, **_more: Any) -> None:
        self.sent.append(key)
        self.unflushed += 1

    def flush(self) -> None:
        self.unflushed = 0

    def close(self, _timeout_s: float) -> None:
        self.open = False


@pytest.fixture
def letters(monkeypatch: pytest.MonkeyPatch) -> DeadLetters:
    Connected.made = []
    monkeypatch.setattr(dead_letters, "Producer", Connected)
    options = read_options(
        {
            "kafka.bootstrap.servers": "localhost:9092",
            "subscribe": "dogs",
            "valueFormat": "avro",
            "valueSchema": '"int"',
            "badRecords": "topic",
            "badRecordsTopic": "bad",
        },
        "batch",
    )
    return DeadLetters(options, TopicPartition("dogs", 0))


def test_a_task_connects_once_for_all_its_batches(letters: DeadLetters) -> None:
    decoded = INTS.decode(COLUMNS["value"])
    for _ in range(3):
        letters.send(COLUMNS, decoded)
        assert Connected.made[0].unflushed == 0, "a batch goes on only when its letters are safe"
    (producer,) = Connected.made
    assert producer.sent == [b"b"] * 3
    letters.close()
    assert not producer.open


def test_a_task_without_bad_records_does_not_connect(letters: DeadLetters) -> None:
    letters.close()
    assert Connected.made == []


def test_a_topic_that_cannot_be_written_is_named_with_its_option(
    letters: DeadLetters, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_record: Any, **_more: Any) -> None:
        raise BrokerError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "there is no topic bad")

    monkeypatch.setattr(Connected, "send", refuse)
    says = (
        r"^.BARNABAS_WRITE. bad records of dogs-0 .* topic bad, .*'badRecordsTopic'.*no topic bad"
    )
    with pytest.raises(WriteRefused, match=says):
        letters.send(COLUMNS, INTS.decode(COLUMNS["value"]))


def test_a_broker_that_is_gone_is_no_fault_of_the_topic(
    letters: DeadLetters, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_record: Any, **_more: Any) -> None:
        raise ConnectionFailed("no broker at localhost:9092")

    monkeypatch.setattr(Connected, "send", gone)
    with pytest.raises(Unreachable, match="no broker at localhost:9092"):
        letters.send(COLUMNS, INTS.decode(COLUMNS["value"]))
