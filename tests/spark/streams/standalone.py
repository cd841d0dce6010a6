"""A standalone Spark cluster on loopback out of pip's PySpark: a master and workers of one core each."""

import os
import re
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pyspark

from barnabas.spark.sessions.java import default_cache, find_java
from tests.interop.peers.child import Child
from tests.interop.peers.ready import free_ports

SPARK = Path(pyspark.__file__).parent
PATIENCE_S = 120.0

CONF: Mapping[str, str] = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "512m",
    "spark.executor.memory": "512m",
    "spark.executor.cores": "1",
    "spark.sql.shuffle.partitions": "2",
}


def environment() -> dict[str, str]:
    """What Spark's scripts need to run this Python on this machine, whatever sessions have set here."""
    inherited = {key: value for key, value in os.environ.items() if key != "PYSPARK_DRIVER_PYTHON"}
    return inherited | {
        "JAVA_HOME": str(find_java(os.environ, cache=default_cache()).home),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_HOME": str(SPARK),
    }


def submit(
    master: str, program: Path, *arguments: str, more: Mapping[str, str] | None = None
) -> list[str]:
    """The command that runs a program at a master, its driver here; `more` settings of Spark."""
    settings = {**CONF, **(more or {})}
    conf = [word for key, value in settings.items() for word in ("--conf", f"{key}={value}")]
    script = str(SPARK / "bin" / "spark-submit")
    return [script, "--master", master, *conf, str(program), *arguments]


class Standalone:
    """A running cluster; `master` is its address."""

    def __init__(self, master: str, workers: list[Child]) -> None:
        self.master = master
        self._workers = workers

    def executors(self, worker: int) -> list[int]:
        """The processes in which one worker runs tasks."""
        tasks = Path(f"/proc/{self._workers[worker].pid}/task").glob("*/children")
        return [int(pid) for each in tasks for pid in each.read_text().split()]


@contextmanager
def standalone(folder: Path, *, workers: int) -> Iterator[Standalone]:
    """A cluster until the end of the `with`."""
    (port,) = free_ports(1)
    master = f"spark://127.0.0.1:{port}"
    local = ("--host", "127.0.0.1", "--webui-port", "0")
    with ExitStack() as stack:
        head = _start(stack, folder, "master", "master.Master", *local, "--port", str(port))
        _until_logged(head, "I have been elected leader")
        started = []
        for at in range(workers):
            work = ("--cores", "1", "--memory", "1g", "--work-dir", str(folder / f"work-{at}"))
            started.append(
                _start(stack, folder, f"worker-{at}", "worker.Worker", *local, *work, master)
            )
        for each in started:
            _until_logged(each, "Successfully registered with master")
        yield Standalone(master, started)


def _start(stack: ExitStack, folder: Path, name: str, kind: str, *arguments: str) -> Child:
    script = str(SPARK / "bin" / "spark-class")
    command = [script, f"org.apache.spark.deploy.{kind}", *arguments]
    log = folder / f"{name}.log"
    return stack.enter_context(Child(command, log, environment=environment(), folder=folder))


def _until_logged(child: Child, text: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not (child.log.exists() and re.search(text, child.log.read_text(errors="replace"))):
        assert child.alive(), child.tail()
        assert time.monotonic() < deadline, child.tail()
        time.sleep(0.1)
