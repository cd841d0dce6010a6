"""Three brokers of ours go from inter.broker.protocol.version 2.8 to 3.9, one after the other, under load."""

import threading
from collections.abc import Iterator
from functools import partial

import pytest
from confluent_kafka import Producer

from tests.interop.mixed_cluster import MixedCluster, OurMember
from tests.interop.peers.brokers.zookeeper import ZooKeeper
from tests.interop.peers.missing import PeerMissing, give_up

pytestmark = [pytest.mark.interop, pytest.mark.java, pytest.mark.long]

NODES = (1, 2, 3)
BEFORE, AFTER = "2.8", "3.9"
SECONDS = 60.0


@pytest.fixture
def cluster() -> Iterator[MixedCluster]:
    try:
        with ZooKeeper() as keeper:
            members = [OurMember(BEFORE, AFTER, keeper.address, one) for one in NODES]
            found = MixedCluster(keeper.address, *members)
            try:
                for member in members:
                    member.start()
                    found.wait_for_node(f"/brokers/ids/{member.node_id}")
                yield found
            finally:
                found.close()
    except PeerMissing as missing:
        give_up(missing)


class Load:
    """Numbers that are written to a topic one after the other, until `end`."""

    def __init__(self, cluster: MixedCluster, topic: str) -> None:
        self.acknowledged: list[int] = []
        self._failed: list[object] = []
        self._topic = topic
        self._producer = Producer(
            {
                "bootstrap.servers": cluster.servers,
                "enable.idempotence": True,
                "message.timeout.ms": 60_000,
            }
        )
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        number = 0
        while not self._is_over.wait(0.002):
            self._write(number)
            self._producer.poll(0)
            number += 1

    def _write(self, number: int) -> None:
        def on_delivery(error: object, _message: object) -> None:
            if error:
                self._failed.append(error)
            else:
                self.acknowledged.append(number)

        self._producer.produce(self._topic, str(number), partition=0, on_delivery=on_delivery)

    def has_more_than(self, count: int) -> bool:
        """Whether more than so many are acknowledged."""
        return len(self.acknowledged) > count

    def end(self) -> list[int]:
        """All that was acknowledged, which is all."""
        self._is_over.set()
        self._thread.join()
        assert self._producer.flush(SECONDS) == 0
        assert not self._failed, self._failed[:3]
        return self.acknowledged


def test_no_record_is_lost_while_one_broker_after_the_other_speaks_a_newer_protocol(
    cluster: MixedCluster,
) -> None:
    cluster.create("dogs", [[*NODES]], **{"min.insync.replicas": "2"})
    cluster.wait_for_isr("dogs", *NODES)
    load = Load(cluster, "dogs")
    try:
        for protocol in (AFTER, BEFORE, AFTER):
            for node_id in NODES:
                member = cluster.members[node_id]
                assert isinstance(member, OurMember)
                member.stop()
                member.protocol = protocol
                member.start()
                cluster.wait_for_isr("dogs", *NODES)
                before = len(load.acknowledged)
                cluster.wait(partial(load.has_more_than, before), partial(len, load.acknowledged))
    finally:
        acknowledged = load.end()
    assert acknowledged == [*range(len(acknowledged))]
    assert cluster.consume("dogs", len(acknowledged)) == acknowledged
    logs = {cluster.log_bytes(one, "dogs") for one in NODES}
    assert len(logs) == 1
