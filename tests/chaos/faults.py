"""What is done to the brokers of a cluster while clients work: one fault after the other, some at once."""

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.chaos.cluster import Broker, ChaosCluster

_QUIET_SECONDS = (0.5, 4.0)
_FAULT_SECONDS = (0.5, 8.0)
"""More than a session of three seconds, and less."""


def _kill(broker: Broker) -> Callable[[], None]:
    broker.kill()
    return broker.start


def _restart(broker: Broker) -> Callable[[], None]:
    broker.stop()
    return broker.start


def _pause(broker: Broker) -> Callable[[], None]:
    broker.pause()
    return broker.resume


def _cut(broker: Broker) -> Callable[[], None]:
    broker.inbound.cut()
    return broker.inbound.heal


def _silence(broker: Broker) -> Callable[[], None]:
    broker.inbound.silence()
    return broker.inbound.heal


def _cut_zookeeper(broker: Broker) -> Callable[[], None]:
    broker.zookeeper.cut()
    return broker.zookeeper.heal


def _silence_zookeeper(broker: Broker) -> Callable[[], None]:
    broker.zookeeper.silence()
    return broker.zookeeper.heal


def _cut_all(broker: Broker) -> Callable[[], None]:
    broker.inbound.silence()
    broker.zookeeper.silence()

    def heal() -> None:
        broker.inbound.heal()
        broker.zookeeper.heal()

    return heal


FAULTS: dict[str, Callable[[Broker], Callable[[], None]]] = {
    "killed": _kill,
    "stopped in order": _restart,
    "paused": _pause,
    "cut off from clients and brokers": _cut,
    "not answering": _silence,
    "cut off from ZooKeeper": _cut_zookeeper,
    "without answers of ZooKeeper": _silence_zookeeper,
    "silent on all sides": _cut_all,
}
"""Each begins, and returns what ends it."""


class Faults:
    """A thread that makes faults. One broker has one fault at a time; now and then two brokers have one each."""

    def __init__(self, cluster: ChaosCluster, seed: int, report: Callable[[str], None]) -> None:
        self.made = 0
        self._cluster = cluster
        self._chance = random.Random(seed)
        self._report = report
        self._stopping = threading.Event()
        self._failure: BaseException | None = None

    @contextmanager
    def happening(self) -> Iterator[None]:
        """For as long as the context lasts; then all is healed.

        Raises:
            AssertionError: a broker did not start again.
        """
        thread = threading.Thread(target=self._guarded, name="faults")
        thread.start()
        try:
            yield
        finally:
            self._stopping.set()
            thread.join()
        if self._failure is not None:
            raise AssertionError("a fault could not be made, or not be ended") from self._failure

    def _guarded(self) -> None:
        try:
            while not self._stopping.wait(self._chance.uniform(*_QUIET_SECONDS)):
                self._make(
                    self._chance.sample(
                        list(self._cluster.brokers), 1 + (self._chance.random() < 0.25)
                    )
                )
        except BaseException as error:  # noqa: BLE001 (given on by `happening`)
            self._failure = error

    def _make(self, node_ids: list[int]) -> None:
        ends = []
        for node_id in node_ids:
            name = self._chance.choice(list(FAULTS))
            self._report(f"{time.strftime('%H:%M:%S')} broker {node_id} is {name}")
            ends.append(FAULTS[name](self._cluster.brokers[node_id]))
            self.made += 1
            self._stopping.wait(self._chance.uniform(0, 1))
        self._stopping.wait(self._chance.uniform(*_FAULT_SECONDS))
        for end in ends:
            end()
        self._report(f"{time.strftime('%H:%M:%S')} healed")
