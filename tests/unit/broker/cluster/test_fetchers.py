"""Copies under faults: what acks=all acknowledged is there in the end, once, and all logs are the same."""

import random
import threading
from pathlib import Path

import pytest

from barnabas import Consumer, Producer
from barnabas.broker.apis import produce
from barnabas.cluster.events import PreferredElection
from barnabas.errors import KafkaError
from barnabas.types import TopicPartition
from tests.local_cluster import LocalCluster

pytestmark = [pytest.mark.kernels, pytest.mark.long]

ROUNDS = 25
DOGS = TopicPartition("dogs", 0)


class Writer(threading.Thread):
    """Sends numbers one after the other, and knows which were acknowledged."""

    def __init__(self, servers: str) -> None:
        super().__init__(name="writer")
        self._servers = servers
        self.acknowledged: list[int] = []
        self.ends = threading.Event()

    def run(self) -> None:
        number = 0
        properties = {"delivery.timeout.ms": 10_000, "request.timeout.ms": 2000, "linger.ms": 0}
        while not self.ends.is_set():
            with Producer(properties, bootstrap_servers=self._servers, acks="all") as producer:
                while not self.ends.is_set():
                    sent = [
                        (one, producer.send("dogs", str(one).encode(), partition=0))
                        for one in range(number, number + 5)
                    ]
                    number += 5
                    try:
                        for one, result in sent:
                            result.result(15)
                            self.acknowledged.append(one)
                    except KafkaError:
                        break  # With another producer: this one's sequence is not known any more.


@pytest.mark.parametrize("seed", [1, 2])
def test_nothing_that_was_acknowledged_is_lost(tmp_path: Path, seed: int) -> None:
    run(tmp_path, seed)


def test_a_leader_that_answers_too_early_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(produce, "wait_for_acks", lambda *given: given[-1])
    with pytest.raises(AssertionError):
        run(tmp_path, 1)


def run(folder: Path, seed: int) -> None:
    """Faults by chance while records are written; then all is well again, and nothing is missing."""
    chance = random.Random(seed)
    cluster = LocalCluster(folder, 3)
    try:
        cluster.create("dogs", 1, 2, 3, min_insync_replicas="2")
        cluster.wait_for_isr("dogs", 1, 2, 3)
        writer = Writer(cluster.bootstrap_servers)
        writer.start()
        for _ in range(ROUNDS):
            disturb(cluster, chance)
            writer.ends.wait(chance.uniform(0, 1))
        for node_id in (1, 2, 3):
            if node_id in cluster.servers:
                cluster.heal(node_id)
            else:
                cluster.start(node_id)
        cluster.wait_for_isr("dogs", 1, 2, 3)
        writer.ends.set()
        writer.join(60)
        assert not writer.is_alive()
        cluster.wait_for_isr("dogs", 1, 2, 3)
        found = read_all(cluster)
        assert len(writer.acknowledged) > ROUNDS
        assert set(writer.acknowledged) <= set(found)
        assert found == sorted(found)
        assert len({cluster.log_bytes(one, "dogs") for one in (1, 2, 3)}) == 1
    finally:
        cluster.close()


def disturb(cluster: LocalCluster, chance: random.Random) -> None:
    """One fault, or the end of one; two of three brokers run at any time."""
    node_id = chance.randint(1, 3)
    down = {1, 2, 3} - cluster.servers.keys()
    match chance.randrange(6):
        case 0 if not down:
            cluster.stop(node_id)
        case 1 if down:
            cluster.start(down.pop())
        case 2 if node_id in cluster.servers:
            cluster.cut(node_id)
        case 3 if node_id in cluster.servers:
            cluster.heal(node_id)
        case 4 if node_id in cluster.servers:
            cluster.expire(node_id)
        case 5:
            cluster.controller.take(PreferredElection((DOGS,)))
        case _:
            """A start of a broker that runs, or a stop of one too many: nothing this time."""


def read_all(cluster: LocalCluster) -> list[int]:
    with Consumer(bootstrap_servers=cluster.bootstrap_servers) as consumer:
        consumer.assign([DOGS])
        consumer.seek_to_beginning(DOGS)
        (end,) = consumer.end_offsets([DOGS]).values()
        found: list[int] = []
        while consumer.position(DOGS) < end:
            found += [int(record.value or b"") for record in consumer.poll(5.0)]
        return found
