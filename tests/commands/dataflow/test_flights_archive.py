"""A year of flights to an archive and back by commands that are killed with all of their processes."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from barnabas import Admin, NewTopic, Producer
from barnabas.client.core.admin.descriptions import LATEST
from barnabas.demo.source import flight_lines, flight_records, packaged_csv
from barnabas.types import TopicPartition
from tests.commands.dataflow.spark_commands import SECONDS, begin, finish
from tests.commands.served import Served, serving

pytestmark = [pytest.mark.spark, pytest.mark.long, pytest.mark.timeout(1800)]

PARTITIONS = 4
BATCH = "40000"


@pytest.fixture(scope="module")
def broker() -> Iterator[Served]:
    with serving("--ephemeral") as served:
        yield served


@pytest.fixture(scope="module")
def flights(broker: Served) -> int:
    """The topic `flights`; how many records it has."""
    head, lines = flight_lines(packaged_csv())
    settings = {"bootstrap.servers": broker.servers}
    with Admin(settings) as admin:
        admin.create_topics([NewTopic("flights", PARTITIONS, configs={"retention.ms": "-1"})])
    with Producer(settings | {"compression.type": "zstd", "linger.ms": 50}) as producer:
        for record in flight_records(head, lines):
            producer.send("flights", record.value, record.key, timestamp_ms=record.timestamp_ms)
        producer.flush()
    return len(lines)


def kill_when(process: subprocess.Popen[str], reached: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not reached():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def written(broker: Served, topic: str) -> int:
    """The end offsets of a topic, together."""
    with Admin({"bootstrap.servers": broker.servers}) as admin:
        if topic not in admin.list_topics():
            return 0
        places = [TopicPartition(topic, each) for each in range(PARTITIONS)]
        return sum(row.offset for row in admin.list_offsets(dict.fromkeys(places, LATEST)).values())


def test_a_year_there_and_back(broker: Served, flights: int, tmp_path: Path) -> None:
    archive = ("archive", "flights", "--to", "./archive", "--records-per-batch", BATCH)
    offsets = tmp_path / "archive/_checkpoint/offsets"
    # Amid a batch: it is planned and not done.
    kill_when(
        begin(broker, tmp_path, *archive),
        lambda: (offsets / "3").exists() and any(tmp_path.glob("archive/*/*/batch=3")),
    )
    done = finish(begin(broker, tmp_path, *archive))
    checked = [part["checked"] for part in done["partitions"]]
    assert sum(checked) == flights

    replay = ("replay", "./archive", "--rename", "flights=again")
    kill_when(begin(broker, tmp_path, *replay), lambda: written(broker, "again") > flights // 4)
    back = finish(begin(broker, tmp_path, *replay))
    assert 0 < back["records"] < flights
    compared = finish(begin(broker, tmp_path, "compare", "flights", "again"))
    assert compared["equal"] is True
    records = [part["target_records"] for part in compared["partitions"]]
    assert sum(records) == flights
