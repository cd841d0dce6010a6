"""`barnabas top` of a broker that is written to."""

import contextlib
import fcntl
import json
import os
import pty
import struct
import subprocess
import termios
from collections.abc import Iterator
from threading import Event, Thread

import pytest

from barnabas import Admin, NewTopic, Producer
from tests.commands.served import BARNABAS, SECONDS, Served, environment, serving


@pytest.fixture(scope="module")
def broker() -> Iterator[Served]:
    """One with a busy topic and one at rest."""
    with serving("--ephemeral") as served:
        with Admin(bootstrap_servers=served.servers) as admin:
            admin.create_topics([NewTopic("busy", 2), NewTopic("at-rest", 1)])
        with written_to(served.servers, "busy"):
            yield served


@contextlib.contextmanager
def written_to(servers: str, topic: str) -> Iterator[None]:
    done = Event()

    def write() -> None:
        with Producer(bootstrap_servers=servers) as producer:
            while not done.wait(0.02):
                producer.send(topic, b"x" * 100)
                producer.flush()

    thread = Thread(target=write)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def test_one_interval_as_a_document(broker: Served) -> None:
    broker.run("consume", "busy", "--group", "readers", "--from-beginning", "--count", "1")
    done = broker.run("top", "--once", "--json", "--interval", "1")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    busy, resting = found["topics"]
    assert (busy["topic"], busy["partitions"]) == ("busy", 2)
    assert busy["records_per_s"] > 0
    assert busy["bytes_per_s"] > 100 * busy["records_per_s"]
    assert (resting["topic"], resting["records_per_s"]) == ("at-rest", 0)
    assert [(one["group"], one["lag"] > 0) for one in found["groups"]] == [("readers", True)]
    assert [one["leaders"] for one in found["brokers"]] == [3]
    by_name = json.loads(
        broker.run("top", "--once", "--json", "--interval", "0.2", "--sort", "name").out
    )
    assert [one["topic"] for one in by_name["topics"]] == ["at-rest", "busy"]


def test_tables_in_a_pipe(broker: Served) -> None:
    done = broker.run("top", "--interval", "0.2")
    assert done.code == 0, done.err
    assert {"Brokers", "Groups", "Topics"} <= {line.strip() for line in done.lines}


def test_no_broker_is_an_error() -> None:
    with serving("--ephemeral") as gone:
        pass
    done = gone.run("top", "--once", "-X", "bootstrap.refused.timeout.ms=100")
    assert done.code == 1
    assert len(done.err.splitlines()) == 1


def test_keys_on_a_terminal(broker: Served) -> None:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
    before = termios.tcgetattr(theirs)
    process = subprocess.Popen(
        [*BARNABAS, "top", "--interval", "0.2"],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment(broker.servers) | {"TERM": "xterm"},
    )
    try:
        seen = until(ours, b"topics by records")
        os.write(ours, b"n")
        seen += until(ours, b"topics by name")
        os.write(ours, b"q")
        assert process.wait(SECONDS) == 0, seen
        assert termios.tcgetattr(theirs) == before
    finally:
        process.kill()
        process.wait()
        os.close(theirs)
        os.close(ours)


def until(terminal: int, text: bytes) -> bytes:
    """What a terminal shows up to a text, which the test's time limit awaits."""
    seen = b""
    while text not in seen:
        seen += os.read(terminal, 65536)
    return seen
