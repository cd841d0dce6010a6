"""What goes wrong around a streaming query on a standalone cluster, one fault at a time."""

import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from tests.chaos.links import Link
from tests.interop.peers.brokers.our_broker import OurBroker
from tests.interop.peers.child import Child
from tests.spark.streams.standalone import Standalone

PAUSE_S = 4.0
"""Longer than a task may take before Spark starts its second attempt."""

Fault = Callable[[Child], int]
"""Does it, around a running driver, and undoes what does not undo itself; how many it hit."""


def descendants(pid: int) -> Iterator[int]:
    """The processes below one, parents first; those that end meanwhile are left out."""
    with suppress(OSError):
        for each in Path(f"/proc/{pid}/task").glob("*/children"):
            for child in map(int, each.read_text().split()):
                yield child
                yield from descendants(child)


def running(pid: int, what: str) -> bool:
    """Whether the process was started with this word in its command."""
    with suppress(OSError):
        return what.encode() in Path(f"/proc/{pid}/cmdline").read_bytes()
    return False


def send(signal_number: int, pids: Sequence[int]) -> int:
    """How many of them were there."""
    sent = 0
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal_number)
            sent += 1
    return sent


class Faults:
    """All of them, by name."""

    def __init__(self, cluster: Standalone, broker: OurBroker, link: Link) -> None:
        self._cluster = cluster
        self._broker = broker
        self._link = link
        self._turn = 0
        self.all: dict[str, Fault] = {
            "a Python worker is killed": self._kill_python,
            "a Python worker stops for a while": self._pause_python,
            "an executor is killed": self._kill_executor,
            "the process that plans is killed": self._kill_planner,
            "the broker is killed": self._kill_broker,
            "the network is cut": self._cut,
            "the network falls silent": self._silence,
            "the driver is killed": self._kill_driver,
        }

    def _executors(self) -> list[int]:
        """Those of one worker of the cluster, of the other one the next time."""
        self._turn += 1
        return self._cluster.executors(self._turn % 2)

    def _python(self) -> list[int]:
        """Processes of tasks: what the daemon below an executor has forked."""
        below = [pid for executor in self._executors() for pid in descendants(executor)]
        daemons = [pid for pid in below if running(pid, "daemon")]
        return [pid for each in daemons for pid in descendants(each)]

    def _kill_python(self, _: Child) -> int:
        return send(signal.SIGKILL, self._python())

    def _pause_python(self, _: Child) -> int:
        pids = self._python()
        stopped = send(signal.SIGSTOP, pids)
        time.sleep(PAUSE_S)
        send(signal.SIGCONT, pids)
        return stopped

    def _kill_executor(self, _: Child) -> int:
        return send(signal.SIGKILL, self._executors())

    def _kill_planner(self, driver: Child) -> int:
        below = list(descendants(driver.pid))
        plans = [pid for pid in below if running(pid, "python_streaming_source_runner")]
        return send(signal.SIGKILL, plans)

    def _kill_broker(self, _: Child) -> int:
        self._broker.child.kill()
        time.sleep(1)
        self._broker.start()
        return 1

    def _cut(self, _: Child) -> int:
        self._link.cut()
        time.sleep(2)
        self._link.heal()
        return 1

    def _silence(self, _: Child) -> int:
        self._link.silence()
        time.sleep(2)
        self._link.heal()
        return 1

    def _kill_driver(self, driver: Child) -> int:
        driver.kill()
        return 1
