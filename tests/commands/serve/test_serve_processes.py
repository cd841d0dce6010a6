"""`barnabas serve --brokers 3 --zookeeper local`: processes under a real ZooKeeper, from the command line."""

import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kazoo.client import KazooClient

from tests.commands.served import BARNABAS, Done, environment, run

SECONDS = 120


class Cluster:
    """A cluster that runs, by what it announced."""

    def __init__(
        self, process: subprocess.Popen[str], response: dict[str, Any], errors: Path
    ) -> None:
        self.process = process
        self.servers: str = response["bootstrap_servers"]
        self.zookeeper: str = response["zookeeper"]
        self.pids: dict[str, int] = response["processes"]
        self.errors = errors

    def run(self, *arguments: str, stdin: str = "") -> Done:
        return run(*arguments, stdin=stdin, servers=self.servers)

    def wait_until_reported(self, text: str) -> None:
        wait(lambda: text in self.errors.read_text(), self.errors.read_text)


def wait(happened: Any, found: Any) -> None:
    deadline = time.monotonic() + SECONDS
    while not happened():
        assert time.monotonic() < deadline, found()
        time.sleep(0.05)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


@contextlib.contextmanager
def serving(folder: Path, *options: str) -> Iterator[Cluster]:
    """The command, until it ends or the context does."""
    errors = folder / "errors"
    with errors.open("a") as stderr:
        process = subprocess.Popen(
            [*BARNABAS, "serve", "--brokers", "3", "--zookeeper", "local", "--port", "0", "--json",
             "--data-dir", str(folder / "data"), *options],
            stdout=subprocess.PIPE, stderr=stderr, text=True, env=environment(""),
        )  # fmt: skip
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        assert line, errors.read_text()
        yield Cluster(process, json.loads(line), errors)
    finally:
        process.terminate()
        process.wait(SECONDS)
        process.stdout.close()


def test_brokers_are_processes_and_keep_their_data_and_zookeepers(tmp_path: Path) -> None:
    with serving(tmp_path, "--set", "zookeeper.session.timeout.ms=2000") as cluster:
        assert list(cluster.pids) == ["zookeeper", "broker 1", "broker 2", "broker 3"]
        assert len(set(cluster.pids.values()) | {cluster.process.pid}) == 5
        assert cluster.run("produce", "dogs", stdin="rex\n").code == 0
        client = KazooClient(cluster.zookeeper)
        client.start(SECONDS)
        assert sorted(client.get_children("/brokers/ids")) == ["1", "2", "3"]
        client.stop()
        client.close()

        os.kill(cluster.pids["broker 2"], signal.SIGKILL)
        cluster.wait_until_reported(
            f"broker 2 (process {cluster.pids['broker 2']}) was ended by SIGKILL; the others go on"
        )
        wait(
            lambda: cluster.run("partitions", "--only", "under-replicated").lines,
            cluster.errors.read_text,
        )
        assert cluster.run("consume", "dogs", "--from-beginning", "-e").lines == ["rex"]
        pids = cluster.pids
    assert cluster.process.returncode == 0, cluster.errors.read_text()
    assert not [name for name, pid in pids.items() if is_alive(pid)]

    with serving(tmp_path) as cluster:
        assert cluster.run("consume", "dogs", "--from-beginning", "-e").lines == ["rex"]
        cluster.process.send_signal(signal.SIGINT)
        assert cluster.process.wait(SECONDS) == 0
    without = run("serve", "--brokers", "3", "--port", "0", "--data-dir", str(tmp_path / "data"))
    assert without.code == 2
    assert "add --zookeeper local" in without.err


@pytest.mark.parametrize("victim", ["zookeeper", "the command"])
def test_when_the_cluster_cannot_go_on_nothing_is_left(tmp_path: Path, victim: str) -> None:
    with serving(tmp_path) as cluster:
        pids = cluster.pids | {"the command": cluster.process.pid}
        if victim == "zookeeper":
            # The shell around the server ends with it, and with its code.
            (server,) = (
                Path(f"/proc/{pids['zookeeper']}/task/{pids['zookeeper']}/children")
                .read_text()
                .split()[:1]
            )
            os.kill(int(server), signal.SIGKILL)
            assert cluster.process.wait(SECONDS) == 1
            assert "without it the brokers are no cluster" in cluster.errors.read_text()
        else:
            os.kill(pids[victim], signal.SIGKILL)
            cluster.process.wait(SECONDS)
        wait(lambda: not any(map(is_alive, pids.values())), cluster.errors.read_text)


def test_a_broker_that_cannot_start_ends_all(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "broker-2").write_text("not a folder")
    refused = run(
        "serve", "--brokers", "2", "--zookeeper", "local", "--port", "0",
        "--data-dir", str(tmp_path / "data"),
    )  # fmt: skip
    assert refused.code == 1
    assert "barnabas: broker 2 did not start: it ended with code 1" in refused.err
    assert "Traceback" not in refused.err


def test_data_of_the_other_kind_of_cluster_is_refused(tmp_path: Path) -> None:
    (tmp_path / "barnabas.registry").touch()
    refused = run("serve", "--brokers", "2", "--zookeeper", "local", "--data-dir", str(tmp_path))
    assert refused.code == 2
    assert "leave out --zookeeper" in refused.err
