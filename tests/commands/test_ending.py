"""Commands that run until they are ended: by a signal as by Ctrl-C, in order."""

import contextlib
import json
import signal
import subprocess
from collections.abc import Iterator

import pytest

from tests.commands.served import BARNABAS, SECONDS, Served, environment, serving

SIGNALS = [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)]


@pytest.fixture(scope="module")
def broker() -> Iterator[Served]:
    with serving("--ephemeral") as served:
        assert served.run("produce", "dogs", stdin="rex\nbella\n").code == 0
        yield served


@contextlib.contextmanager
def running(broker: Served, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    buffered = {"PYTHONUNBUFFERED": ""}  # Else a line is out before the command knows that it is.
    process = subprocess.Popen(
        [*BARNABAS, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(broker.servers) | buffered,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize(("number", "code"), SIGNALS)
def test_a_member_commits_what_it_printed_and_leaves(
    broker: Served, number: signal.Signals, code: int
) -> None:
    group = f"ended-{code}"
    arguments = ("consume", "dogs", "--group", group, "--from-beginning")
    with running(broker, *arguments) as reading:
        assert reading.stdout is not None
        assert reading.stderr is not None
        assert [reading.stdout.readline() for _ in range(2)] == ["rex\n", "bella\n"]
        reading.send_signal(number)
        assert reading.wait(SECONDS) == code
        assert "Traceback" not in reading.stderr.read()
    found = json.loads(broker.run("groups", "describe", group, "--json").out)
    assert (found["state"], found["members"]) == ("Empty", [])
    assert [row["current_offset"] for row in found["partitions"]] == [2]


@pytest.mark.parametrize(("number", "code"), SIGNALS)
def test_what_is_not_printed_is_not_committed(
    broker: Served, number: signal.Signals, code: int
) -> None:
    topic = f"many-{code}"
    lines = [f"{line:0999}" for line in range(3000)]
    assert broker.run("produce", topic, stdin="\n".join(lines)).code == 0
    with running(broker, "consume", topic, "-g", topic, "--from-beginning") as reading:
        assert reading.stdout is not None
        read = [reading.stdout.readline()]  # The pipe is full: it waits amid its records.
        reading.send_signal(number)
        read += reading.stdout.readlines()
        assert reading.wait(SECONDS) == code
    rest = broker.run("consume", topic, "-g", topic, "-e").lines
    assert len(rest) > 0
    assert {line.strip() for line in read} | set(rest) >= set(lines)


def test_without_a_group_and_to_a_topic_too(broker: Served) -> None:
    with running(broker, "consume", "dogs", "--from-beginning") as reading:
        assert reading.stdout is not None
        assert reading.stdout.readline() == "rex\n"
        reading.terminate()
        assert reading.wait(SECONDS) == 143
    assert broker.run("topics", "create", "cats").code == 0
    with running(broker, "produce", "cats") as sending:
        assert sending.stdin is not None
        sending.stdin.write("tom\n")
        sending.stdin.flush()
        with running(broker, "consume", "cats", "--from-beginning") as reading:
            assert reading.stdout is not None
            assert reading.stdout.readline() == "tom\n"
        sending.terminate()
        assert sending.wait(SECONDS) == 143


def test_a_broker_whose_terminal_is_gone_ends_in_order() -> None:
    with serving("--ephemeral") as served:
        served.process.send_signal(signal.SIGHUP)
        assert served.process.wait(SECONDS) == 0


def test_who_ignores_a_hangup_goes_on() -> None:
    nohup = ["nohup", *BARNABAS, "serve", "--ephemeral", "--port", "0", "--json"]
    with serving(command=nohup) as served:
        served.process.send_signal(signal.SIGHUP)
        assert served.run("topics", "list").code == 0
