"""Our own driver: Producer, and the range reader."""

from collections.abc import Sequence

import pyarrow as pa

from barnabas import Producer, RangeReader
from barnabas.records.columns.arrow import to_arrow
from barnabas.records.columns.columns import ColumnSelection
from tests.interop.clients.client import READ_SECONDS
from tests.interop.samples import Sample

EVERYTHING = (
    ColumnSelection.KEY
    | ColumnSelection.VALUE
    | ColumnSelection.OFFSET
    | ColumnSelection.TIMESTAMP
    | ColumnSelection.HEADERS
)


class Ours:
    """The driver as a user would call it."""

    name = "barnabas"

    def write(
        self,
        address: str,
        topic: str,
        samples: Sequence[Sample],
        *,
        codec: str = "none",
        idempotent: bool = False,
    ) -> list[int]:
        """See Client.write."""
        settings: dict[str, object] = {
            "bootstrap.servers": address,
            "compression.type": codec,
            "enable.idempotence": idempotent,
            "acks": "all",
            "linger.ms": 5000,  # as for librdkafka
            "max.request.size": 8_000_000,
        }
        with Producer(settings) as producer:
            sent = [
                producer.send(
                    topic,
                    sample.value,
                    sample.key,
                    partition=0,
                    timestamp_ms=sample.timestamp,
                    headers=sample.headers,
                )
                for sample in samples
            ]
            producer.flush(READ_SECONDS)
            return [each.result(READ_SECONDS).offset for each in sent]

    def read(self, address: str, topic: str, count: int, *, start: int = 0) -> list[Sample]:
        """See Client.read."""
        reader = RangeReader({"bootstrap.servers": address}, fetch_bytes=1 << 20)
        found: list[Sample] = []
        for columns in reader.read(topic, 0, start, start + count, EVERYTHING):
            if columns.count:
                found += samples_of(pa.table(to_arrow(columns)))
        reader.close()
        return found


def samples_of(table: pa.Table) -> list[Sample]:
    """The rows of a table in Spark's columns as what was sent."""
    times: list[int] = table["timestamp"].cast(pa.int64()).to_pylist()
    return [
        Sample(
            row["key"],
            row["value"],
            microseconds // 1000,
            tuple((each["key"], each["value"]) for each in row["headers"] or ()),
        )
        for row, microseconds in zip(table.drop(["timestamp"]).to_pylist(), times, strict=True)
    ]
