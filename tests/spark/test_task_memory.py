"""The memory of a process that runs tasks has the bounds that docs/spark.md states, whatever it reads."""

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from barnabas import Producer
from tests.spark.topics import Topics

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]

PROGRAM = Path(__file__).with_name("task_memory_program.py")
MEGABYTES = 400


def most_mb(*arguments: str) -> float:
    """The most memory that the program had."""
    done = subprocess.run(
        [sys.executable, str(PROGRAM), *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return float(done.stdout)


@pytest.mark.parametrize(("fetch_bytes", "stated_mb"), [(4 << 20, 180), (32 << 20, 340)])
def test_reading(topics: Topics, fetch_bytes: int, stated_mb: int) -> None:
    topic = topics.create()
    rows = pa.table({"value": [b"v" * 1000] * 10_000})
    with Producer({"bootstrap.servers": topics.servers, "batch.size": "524288"}) as producer:
        for _ in range(MEGABYTES // 10):
            producer.send_arrow(topic, rows)
        producer.flush()
    assert most_mb("read", topics.servers, topic, str(fetch_bytes)) <= stated_mb


def test_writing(topics: Topics) -> None:
    """`kafka.buffer.memory`, 32 MiB, and what is being made of the rows."""
    assert most_mb("write", topics.servers, topics.create(), str(MEGABYTES)) <= 200
