"""One program of a user by `spark-submit`, by Spark Connect, and on a cluster whose executors are killed."""

import os
import signal
import subprocess
import sys
import tarfile
import time
from collections import Counter
from pathlib import Path

import pytest
from confluent_kafka import Consumer, TopicPartition

from tests.interop.peers.child import Child
from tests.spark.streams.standalone import environment, standalone, submit
from tests.spark.topics import Topics

pytestmark = [pytest.mark.spark, pytest.mark.long, pytest.mark.timeout(900)]

PROGRAM = Path(__file__).with_name("submitted_program.py")
PATIENCE_S = 600


def committed(topics: Topics, topic: str) -> Counter[int]:
    """How often each number was written, for readers of committed records."""
    consumer = Consumer(
        {"bootstrap.servers": topics.servers, "group.id": "unused", "enable.auto.commit": False}
        | {"isolation.level": "read_committed", "enable.partition.eof": True}
    )
    parts = consumer.list_topics(topic, 20).topics[topic].partitions
    consumer.assign([TopicPartition(topic, each, 0) for each in parts])
    found: Counter[int] = Counter()
    ended = 0
    while ended < len(parts):
        message = consumer.poll(20)
        assert message is not None, f"no more records, {ended} partitions read"
        if message.error() is not None:
            ended += 1
        else:
            found[int(message.value() or b"")] += 1
    consumer.close()
    return found


def run(command: list[str], folder: Path, **more: str) -> str:
    """What the program printed."""
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment() | more,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-6000:]
    return done.stdout


@pytest.mark.parametrize("how", ["spark-submit", "connect"])
def test_a_program_that_does_not_know_where_it_runs(
    how: str, topics: Topics, tmp_path: Path
) -> None:
    source, target = topics.create(2), topics.create()
    topics.send_numbers(source, range(300), partitions=2)
    given = (topics.servers, source, target, str(tmp_path / "checkpoint"), "exactly-once")
    if how == "connect":
        command = [sys.executable, str(PROGRAM), *given]
        printed = run(command, tmp_path, SPARK_REMOTE="local[2]")
    else:
        printed = run(submit("local[2]", PROGRAM, *given), tmp_path)
    assert "records: 300" in printed
    assert committed(topics, target) == Counter(range(300))


@pytest.mark.parametrize("guarantee", ["at-least-once", "exactly-once"])
def test_executors_killed_amid_batches(guarantee: str, topics: Topics, tmp_path: Path) -> None:
    """Of a cluster with two workers; nothing is lost, and exactly-once doubles nothing."""
    count, batches = 2000, 20
    source, target = topics.create(4), topics.create(2)
    topics.send_numbers(source, range(count), partitions=4)
    commits = tmp_path / "checkpoint" / "commits"
    given = (topics.servers, source, target, str(tmp_path / "checkpoint"), guarantee)
    killed: list[int] = []
    with standalone(tmp_path, workers=2) as cluster:
        command = submit(cluster.master, PROGRAM, *given)
        with Child(command, tmp_path / "driver.log", environment=environment()) as driver:
            deadline = time.monotonic() + PATIENCE_S
            for worker, after in ((0, 3), (1, 7), (0, 12)):
                while driver.alive() and _done(commits) < after:
                    assert time.monotonic() < deadline, driver.tail()
                    time.sleep(0.05)
                for pid in cluster.executors(worker):
                    os.kill(pid, signal.SIGKILL)
                    killed.append(pid)
            assert driver.process.wait(PATIENCE_S) == 0, driver.tail()
            printed = driver.log.read_text()
    assert len(killed) >= 2, "executors were killed while batches ran"
    assert _done(commits) >= batches
    found = committed(topics, target)
    assert set(found) == set(range(count))
    if guarantee == "exactly-once":
        assert f"records: {count}" in printed
        assert found.total() == count


def test_an_environment_that_spark_carries(topics: Topics, tmp_path: Path) -> None:
    """Its Python runs on the driver's side, where it is unpacked, and in executors, by one relative path."""
    source, target = topics.create(2), topics.create()
    topics.send_numbers(source, range(300), partitions=2)
    here = tmp_path / "driver"
    python = here / "environment" / "bin" / "python"
    python.parent.mkdir(parents=True)
    ran_in = tmp_path / "ran-in.txt"
    python.write_text(f'#!/bin/sh\npwd >>"{ran_in}"\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    with tarfile.open(here / "packed.tar.gz", "w:gz") as packed:
        packed.add(python.parent, "bin")
    no_python = tmp_path / "none" / "python3"
    no_python.parent.mkdir()
    no_python.write_text("#!/bin/sh\nexit 9\n")
    no_python.chmod(0o755)
    given = (topics.servers, source, target, str(tmp_path / "checkpoint"), "exactly-once")
    archives = {"spark.archives": "packed.tar.gz#environment"}
    with standalone(tmp_path, workers=2) as cluster:
        printed = run(
            submit(cluster.master, PROGRAM, *given, more=archives),
            here,
            PYSPARK_PYTHON="./environment/bin/python",
            PATH=f"{no_python.parent}{os.pathsep}{os.environ['PATH']}",
        )
    assert "records: 300" in printed
    assert committed(topics, target) == Counter(range(300))
    folders = set(ran_in.read_text().splitlines())
    assert str(here) in folders
    assert any("/work-" in each for each in folders), folders


def _done(commits: Path) -> int:
    return len([each for each in commits.glob("*") if each.name.isdecimal()])
