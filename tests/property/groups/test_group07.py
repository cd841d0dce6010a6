"""Groups of 0.7 over random histories: every message at least once, no partition with two owners.

Brokers and consumers come and go, sessions expire, ZooKeeper is out of reach, consumers are stopped,
killed, and held up between any two steps of a rebalance. ZooKeeper is simulated.
"""

import random
from collections import defaultdict
from collections.abc import Generator

import pytest

from barnabas.client.driver07.assignment import BrokerPartition
from barnabas.client.driver07.membership import Membership07, Place
from barnabas.errors import RegistryUnavailable
from sim.world.zookeeper import SimulatedSession, SimulatedZooKeeper

TOPICS = ("cats", "dogs")
HISTORIES = 200
STEPS = 200


class Consumer:
    """One member that consumes what it owns and commits now and then."""

    def __init__(self, world: "World", name: str) -> None:
        self.world = world
        self.session = world.keeper.session()
        self.begun_in = self.ended_in = self.session.number
        """The session in which a rebalance began last, and that in which one ended."""
        self.due = True
        self.steps: Generator[None, None, bool] | None = None
        self.positions: dict[Place, int] = {}
        self.member = Membership07(self.session, "g", name, TOPICS, self._on_change)
        self.member.join()

    def _on_change(self) -> None:
        self.due = True

    def rebalance(self) -> None:
        """One step of it."""
        if self.steps is None:
            self.due = False
            self.begun_in = self.session.number
            self.steps = self.member.rebalance_in_steps(self.let_go)
        try:
            next(self.steps)
        except StopIteration as end:
            self.steps = None
            self.ended_in = self.begun_in
            self.due |= not end.value
        except RegistryUnavailable:
            self.steps, self.due = None, True

    def let_go(self, places: frozenset[Place]) -> None:
        self.member.commit(
            {place: self.positions[place] for place in places & self.positions.keys()}
        )
        for place in places:
            self.positions.pop(place, None)

    def consume(self, most: int) -> None:
        for place in self.member.owned:
            if place not in self.positions:
                self.positions[place] = self.member.committed(place) or 0
            position = self.positions[place]
            if place[1].broker in self.world.brokers:
                taken = self.world.logs[place][position : position + most]
                self.world.delivered[place].update(range(position, position + len(taken)))
                self.positions[place] += len(taken)

    def commit(self) -> None:
        self.member.commit(self.positions)


class World:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.keeper = SimulatedZooKeeper()
        self.logs: dict[Place, list[int]] = {}
        self.delivered: dict[Place, set[int]] = defaultdict(set)
        self.brokers: dict[int, SimulatedSession] = {}
        self.consumers: list[Consumer] = []
        self.names = 0
        self.start_broker()
        self.start_consumer()

    # --- What may happen ----------------------------------------------------------------------

    def start_broker(self) -> None:
        free = sorted({1, 2, 10} - self.brokers.keys())
        if free:
            number = self.random.choice(free)
            session = self.brokers[number] = self.keeper.session()
            session.create_ephemeral(f"/brokers/ids/{number}", f"x:here:{number}".encode())
            for topic in TOPICS:
                count = 1 + number % 3
                session.create_ephemeral(f"/brokers/topics/{topic}/{number}", str(count).encode())
                for index in range(count):
                    self.logs.setdefault((topic, BrokerPartition(number, index)), [])

    def stop_broker(self) -> None:
        if len(self.brokers) > 1:
            self.brokers.pop(self.random.choice(sorted(self.brokers))).close()

    def produce(self) -> None:
        for log in self.logs.values():
            log.extend(range(self.random.randrange(3)))

    def start_consumer(self) -> None:
        if len(self.consumers) < 4:
            self.names += 1
            self.consumers.append(Consumer(self, f"g_{self.random.randrange(100)}-{self.names}"))

    def stop_consumer(self) -> None:
        consumer = self.random.choice(self.consumers)
        if consumer.session.reachable and len(self.consumers) > 1:
            consumer.commit()
            consumer.member.leave()
            self.kill(consumer)

    def kill_consumer(self) -> None:
        if len(self.consumers) > 1:
            self.kill(self.random.choice(self.consumers))

    def kill(self, consumer: Consumer) -> None:
        self.consumers.remove(consumer)
        consumer.session.reachable = True
        consumer.session.close()

    def expire(self) -> None:
        self.random.choice(self.consumers).session.expire()

    def lose_touch(self) -> None:
        self.random.choice(self.consumers).session.reachable = False

    def be_in_touch(self) -> None:
        for consumer in self.consumers:
            consumer.session.reachable = True

    def go_on(self) -> None:
        consumer = self.random.choice(self.consumers)
        if self.random.random() < 0.5:
            consumer.session.deliver()
        try:
            match self.random.randrange(4):
                case 0 | 1 if consumer.steps or consumer.due:
                    consumer.rebalance()
                case 2:
                    consumer.commit()
                case _:
                    consumer.consume(self.random.randrange(1, 4))
        except RegistryUnavailable:
            assert not consumer.session.reachable

    # --- What must hold -----------------------------------------------------------------------

    def check(self) -> None:
        for consumer in self.consumers:
            for topic, place in consumer.member.owned:
                owner = self.keeper.owners.get(f"/consumers/g/owners/{topic}/{place}")
                lost = consumer.ended_in != consumer.session.number
                assert lost or owner == consumer.session.number

    def run(self) -> None:
        rare = [
            self.start_broker, self.stop_broker, self.start_consumer, self.stop_consumer,
            self.kill_consumer, self.expire, self.lose_touch, self.be_in_touch, self.be_in_touch,
        ]  # fmt: skip
        for _ in range(STEPS):
            action = self.random.choice([*rare, self.produce] + [self.go_on] * 30)
            action()
            self.check()

    def settle(self) -> None:
        """Nothing happens any more; after a few rebalances of each all agree."""
        self.be_in_touch()
        for _ in range(100):
            for consumer in self.consumers:
                consumer.session.deliver()
                if consumer.steps or consumer.due:
                    consumer.rebalance()
                self.check()
        assert not any(consumer.steps or consumer.due for consumer in self.consumers)


@pytest.mark.parametrize("part", range(4))
def test_random_histories(part: int) -> None:
    for seed in range(part, HISTORIES, 4):
        world = World(seed)
        world.run()
        world.settle()
        for consumer in world.consumers:
            consumer.consume(10**6)
        there = {place for place in world.logs if place[1].broker in world.brokers}
        owned = [place for consumer in world.consumers for place in consumer.member.owned]
        assert sorted(owned) == sorted(there), f"seed {seed}: each place has one owner"
        shares = [
            len([place for place in consumer.member.owned if place[0] == "dogs"])
            for consumer in sorted(world.consumers, key=lambda each: each.member._thread)
        ]
        assert shares == sorted(shares, reverse=True)
        assert max(shares) - min(shares) <= 1
        for place in there:
            assert world.delivered[place] == set(range(len(world.logs[place]))), f"seed {seed}"
