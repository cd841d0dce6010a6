"""What is done to the brokers of a cluster while clients work: one fault after the other, some at once."""

import random
import time
from collections.abc import Callable

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
    """Faults by a seed. One broker has one fault at a time; now and then two brokers have one each."""

    def __init__(self, cluster: ChaosCluster, seed: int, report: Callable[[str], None]) -> None:
        self.made = 0
        self._cluster = cluster
        self._chance = random.Random(seed)
        self._report = report

    def make(self, seconds: float) -> None:
        """Make faults for so long, then heal all.

        Not on a thread: a broker that it starts again would end with it (see `Child`).
        """
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            time.sleep(self._chance.uniform(*_QUIET_SECONDS))
            count = 2 if self._chance.random() < 0.25 else 1
            self._make(self._chance.sample(list(self._cluster.brokers), count))

    def _make(self, node_ids: list[int]) -> None:
        ends = []
        for node_id in node_ids:
            name = self._chance.choice(list(FAULTS))
            self._report(f"{time.strftime('%H:%M:%S')} broker {node_id} is {name}")
            ends.append(FAULTS[name](self._cluster.brokers[node_id]))
            self.made += 1
            time.sleep(self._chance.uniform(0, 1))
        time.sleep(self._chance.uniform(*_FAULT_SECONDS))
        for end in ends:
            end()
        self._report(f"{time.strftime('%H:%M:%S')} healed")
