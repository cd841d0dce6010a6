"""Brokers of Kafka 0.7 under one real ZooKeeper, for minutes, while consumers and brokers come and go.

BARNABAS_SOAK_SECONDS says for how long; 600 is what a release should have. When it fails, the brokers'
logs and data stay, and the error says where.
"""

import os
import random
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from barnabas.client.driver07.membership import Place
from barnabas.driver07 import Consumer, Producer
from tests.interop.driver.test_driver07 import Estate, listens, taken
from tests.interop.peers.brokers.our_broker import OurBroker
from tests.interop.peers.brokers.zookeeper import ZooKeeper
from tests.interop.peers.missing import PeerMissing, give_up

pytestmark = [
    pytest.mark.interop, pytest.mark.java, pytest.mark.long, pytest.mark.timeout(3600),
]  # fmt: skip

SECONDS = float(os.environ.get("BARNABAS_SOAK_SECONDS", "60"))
BROKERS, MOST_CONSUMERS, A_SEND = 3, 4, 200
PATIENCE = 120.0
A_REBALANCE = 20.0
"""Seconds: a session that is lost, and some attempts."""


@pytest.fixture
def estate() -> Iterator[Estate]:
    try:
        with ZooKeeper() as keeper:
            estate = Estate(keeper)
            yield estate
            estate.kazoo.stop()
            estate.kazoo.close()
    except PeerMissing as missing:
        give_up(missing)


class Soak:
    """Brokers, a producer, and a group whose members are never the same for long."""

    def __init__(self, estate: Estate, stack: ExitStack, chance: random.Random) -> None:
        self.estate = estate
        self.chance = chance
        self.brokers: list[OurBroker] = []
        for number in range(BROKERS):
            self.brokers.append(estate.broker(number))
            stack.push(self.brokers[-1].__exit__)
        self.producer = stack.enter_context(Producer({"zk.connect": estate.place}))
        self.consumers: list[Consumer] = []
        stack.callback(self.close)
        self.sent = 0
        self.found: Counter[int] = Counter()
        self.names = 0
        self.double: dict[Place, float] = {}
        """Places with two owners, and since when."""
        self.longest_double = 0.0

    def close(self) -> None:
        while self.consumers:
            self.consumers.pop().close()

    def send(self) -> None:
        """Sets of twenty, each to the partition of its key."""
        for first in range(self.sent, self.sent + A_SEND, 20):
            numbers = range(first, first + 20)
            self.producer.send("dogs", *[b"%d" % number for number in numbers], key=str(first))
        self.sent += A_SEND

    def read(self) -> None:
        for consumer in self.consumers:
            for chunk in consumer.poll(0.02):
                self.found.update(int(bytes(message.payload)) for message in chunk.messages)
        self.see_owners()

    def see_owners(self) -> None:
        """None has two for longer than a rebalance takes."""
        now = time.monotonic()
        owners = Counter(place for consumer in self.consumers for place in consumer.owned)
        shared = {place for place, count in owners.items() if count > 1}
        self.double = {place: self.double.get(place, now) for place in shared}
        for place, since in self.double.items():
            self.longest_double = max(self.longest_double, now - since)
            assert now - since < A_REBALANCE, f"{place} has two owners"

    def missing(self) -> int:
        return self.sent - len(self.found)

    def change(self) -> None:
        """A consumer comes or goes, or a broker is stopped and started again."""
        what = self.chance.choice(("comes", "goes", "comes", "goes", "broker"))
        if what == "broker":
            self.restart(self.chance.choice(self.brokers))
        elif len(self.consumers) < 2 or (what == "comes" and len(self.consumers) < MOST_CONSUMERS):
            self.add()
        else:
            leaving = self.consumers.pop(self.chance.randrange(len(self.consumers)))
            leaving.close()

    def add(self) -> None:
        self.names += 1
        self.consumers.append(self.estate.consumer("g", consumerid=f"c{self.names}"))

    def restart(self, broker: OurBroker) -> None:
        """In order, and with nothing under way: a producer of 0.7 does not learn what got lost."""
        self.drain()
        number, kazoo = self.brokers.index(broker), self.estate.kazoo
        known = [f"/brokers/ids/{number}", f"/brokers/topics/dogs/{number}"]
        before = [path for path in known if kazoo.exists(path) is not None]
        broker.child.stop()
        broker.spawn()
        self.estate.until(lambda: listens(broker.port))
        self.estate.until(lambda: all(kazoo.exists(path) is not None for path in before))

    def drain(self) -> None:
        """Read until all that was sent is there."""
        deadline = time.monotonic() + PATIENCE
        while self.missing():
            assert time.monotonic() < deadline, f"{self.missing()} of {self.sent} do not come"
            self.read()


def test_every_message_comes_while_consumers_and_brokers_come_and_go(estate: Estate) -> None:
    with ExitStack() as stack:
        soak = Soak(estate, stack, random.Random(6))
        soak.add()
        soak.send()
        soak.drain()
        changes = 0
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            next_change = time.monotonic() + soak.chance.uniform(0.5, 4)
            while time.monotonic() < next_change:
                soak.send()
                soak.read()
            soak.change()
            changes += 1
        soak.drain()
        assert changes
        soak.close()
        # What the group has committed is the end of each log: who comes next gets nothing.
        with estate.consumer("g", consumerid="last") as last:
            more: list[bytes] = []

            def owns_all() -> bool:
                more.extend(taken([last]))
                return len(last.owned) == 2 * BROKERS

            estate.until(owns_all)
            assert not more + taken([last])
        assert set(soak.found) == set(range(soak.sent))
