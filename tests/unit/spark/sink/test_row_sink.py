"""Rows of small Arrow batches are sent together, in their order, and none is left behind."""

from collections.abc import Iterator

import pyarrow as pa
import pytest
from pyspark.sql.pandas.types import to_arrow_type

from barnabas.client.core.cluster.cluster_view import PartitionView, TopicView
from barnabas.client.core.producer.arrow_columns import ColumnNames
from barnabas.client.core.producer.bulk_encoder import BulkEncoder
from barnabas.client.core.producer.producer_options import ProducerOptions
from barnabas.errors import BrokerError
from barnabas.spark.errors import WriteRefused
from barnabas.spark.options.write_options import write_options
from barnabas.spark.readers.schema import HEADERS_TYPE
from barnabas.spark.sink.row_layout import RowLayout
from barnabas.spark.sink.row_sink import TOGETHER, RowSink, joined

VALUE_BYTES = 1000
SMALL = 100
"""Rows of a small batch: a tenth of what is sent together."""


def batches(*sizes: int) -> Iterator[pa.RecordBatch]:
    """Values that begin with their number."""
    at = 0
    for size in sizes:
        values = [b"%06d" % number + bytes(VALUE_BYTES) for number in range(at, at + size)]
        yield pa.record_batch([pa.array(values, pa.binary())], names=["value"])
        at += size


def numbers(batch: pa.RecordBatch) -> list[int]:
    return [int(value[:6]) for value in batch.column("value").to_pylist()]


@pytest.mark.parametrize(
    "sizes",
    [(), (0,), (SMALL,), (SMALL,) * 35, (3000,), (SMALL, 3000, SMALL), (1,) * 2500, (0, SMALL, 0)],
    ids=str,
)
def test_all_rows_in_order_in_few_batches(sizes: tuple[int, ...]) -> None:
    found = list(joined(batches(*sizes)))
    assert [each for batch in found for each in numbers(batch)] == list(range(sum(sizes)))
    assert all(batch.nbytes >= TOGETHER for batch in found[:-1])
    assert len(found) <= 1 + sum(sizes) * (VALUE_BYTES + 20) // TOGETHER


def test_a_large_batch_is_not_copied() -> None:
    (large,) = batches(3000)
    (found,) = joined(iter([large]))
    assert found is large


class Sent:
    """A producer that keeps what it is given."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, list[int]]] = []

    def send_arrow(self, topic: str, batch: pa.RecordBatch, *, partition: str | None) -> None:
        assert partition is None
        self.calls.append((topic, numbers(batch)))


def test_each_topic_gets_its_rows_together_in_their_order() -> None:
    layout = RowLayout(None, ("topic", "value"))
    sink = RowSink(write_options({"kafka.bootstrap.servers": "localhost:1"}), layout)
    given = [
        batch.append_column("topic", pa.array(["ab"[row % 2] for row in range(batch.num_rows)]))
        for batch in batches(SMALL, SMALL, SMALL)
    ]
    sent = Sent()
    assert sink.send(sent, iter(given)) == 3 * SMALL  # type: ignore[arg-type]
    assert sent.calls == [
        ("a", list(range(0, 3 * SMALL, 2))),
        ("b", list(range(1, 3 * SMALL, 2))),
    ]


@pytest.mark.parametrize("partition", [-1, -5])
def test_a_negative_partition_is_refused_as_by_java(partition: int) -> None:
    """-1 would be any partition to the driver, and null is that already."""
    layout = RowLayout("t", ("value", "partition"))
    sink = RowSink(write_options({"kafka.bootstrap.servers": "localhost:1"}), layout)
    numbers = pa.array([None, 3, partition], pa.int32())
    given = [batch.append_column("partition", numbers) for batch in batches(3)]
    with pytest.raises(WriteRefused, match=f"no partition {partition}.*or null"):
        sink.send(Sent(), iter(given))  # type: ignore[arg-type]


class Encoding:
    """A producer of one partition that encodes what it is given, and sends nothing."""

    def __init__(self) -> None:
        self._encoder = BulkEncoder(ProducerOptions())

    def send_arrow(self, topic: str, batch: pa.RecordBatch, *, partition: str | None) -> None:
        view = TopicView(topic, partitions=(PartitionView(topic, 0, 1),))
        for _ in self._encoder.encoded(view, batch, ColumnNames(partition=partition), 0):
            pass


@pytest.mark.parametrize("headers", [[(None, b"x")], [None]], ids=["null key", "null header"])
def test_a_header_without_a_key_is_refused_with_a_sentence(headers: list[object]) -> None:
    layout = RowLayout("t", ("value", "headers"))
    sink = RowSink(write_options({"kafka.bootstrap.servers": "localhost:1"}), layout)
    column = pa.array([None, headers], to_arrow_type(HEADERS_TYPE))
    given = [batch.append_column("headers", column) for batch in batches(2)]
    with pytest.raises(
        WriteRefused, match="a row of t cannot be a record: the key of a header is null"
    ):
        sink.send(Encoding(), iter(given))  # type: ignore[arg-type]


def test_a_partition_that_is_not_there_is_named_once() -> None:
    layout = RowLayout("t", ("value", "partition"))
    sink = RowSink(write_options({"kafka.bootstrap.servers": "localhost:1"}), layout)
    given = [batch.append_column("partition", pa.array([0, 7], pa.int32())) for batch in batches(2)]
    with pytest.raises(BrokerError) as caught:
        sink.send(Encoding(), iter(given))  # type: ignore[arg-type]
    says = "INVALID_PARTITIONS: t: row 1 is for partition 7, and the last one is 0"
    assert str(caught.value) == says
