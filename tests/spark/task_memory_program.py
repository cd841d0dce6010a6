"""What a Spark task does, in a process of its own without Spark; prints the most memory that it had, in MB.

`task_memory_program.py read SERVERS TOPIC FETCH_BYTES`, or `write SERVERS TOPIC MB`.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql.types import StructType

from barnabas import Admin
from barnabas.client.core.admin.descriptions import LATEST
from barnabas.spark.options.read_options import read_options
from barnabas.spark.options.write_options import write_options
from barnabas.spark.planner.ranges import ScanRange
from barnabas.spark.readers.scan import Scan
from barnabas.spark.readers.schema import project, source_schema
from barnabas.spark.sink.row_layout import row_layout
from barnabas.spark.sink.row_sink import RowSink
from barnabas.types import TopicPartition

ROWS_A_BATCH = 1000
VALUE = b"v" * 1000


def print_most() -> None:
    """The most memory that this process ever had, modules included."""
    (kib,) = re.findall(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    sys.stdout.write(f"{int(kib) / 1024:.1f}\n")


def read(servers: str, topic: str, fetch_bytes: str) -> None:
    """Read all of a topic's first partition."""
    given = {"kafka.bootstrap.servers": servers, "subscribe": topic, "fetchbytes": fetch_bytes}
    schema = source_schema(include_headers=False, columns=None)
    scan = Scan(read_options(given, "batch"), project(schema))
    where = TopicPartition(topic, 0)
    with Admin({"bootstrap.servers": servers}) as admin:
        end = admin.list_offsets({where: LATEST})[where].offset
    rows = sum(batch.num_rows for batch in scan.read(ScanRange(topic, 0, 0, end)))
    assert rows == end, (rows, end)
    print_most()


def write(servers: str, topic: str, megabytes: str) -> None:
    """Write so many MB in Arrow batches as Spark makes them."""
    count = int(megabytes) * 1_000_000 // (ROWS_A_BATCH * len(VALUE))

    def batches() -> Iterator[Any]:
        for _ in range(count):
            yield pa.RecordBatch.from_pydict({"value": pa.array([VALUE] * ROWS_A_BATCH)})

    options = write_options({"kafka.bootstrap.servers": servers, "topic": topic})
    sink = RowSink(options, row_layout(StructType().add("value", "binary"), topic))
    assert sink.write(batches()).rows == count * ROWS_A_BATCH
    print_most()


if __name__ == "__main__":
    {"read": read, "write": write}[sys.argv[1]](*sys.argv[2:])
