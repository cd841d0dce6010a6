"""A broker with many more files than descriptors, and clients that use up the rest."""

import contextlib

from barnabas import Admin, Consumer, NewTopic, Producer
from tests.interop.peers.brokers.our_broker import OurBroker
from tests.interop.raw import Raw

MANY = 200
FEW = ("sh", "-c", 'ulimit -n 128; exec "$@"', "sh")


def write(broker: OurBroker, text: str) -> None:
    with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        sent = [producer.send("many", text, partition=index) for index in range(MANY)]
        for one in sent:
            one.result(30)


def stored(broker: OurBroker) -> int:
    with Consumer(bootstrap_servers=broker.bootstrap_servers) as consumer:
        return sum(consumer.end_offsets([("many", index) for index in range(MANY)]).values())


def test_they_are_made_written_and_opened_again() -> None:
    with OurBroker(prefix=FEW) as broker:
        with contextlib.ExitStack() as held:
            for _ in range(200):
                held.enter_context(Raw(broker.bootstrap_servers))
        with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
            admin.create_topics([NewTopic("many", MANY, 1, {})])
        write(broker, "first")
        broker.child.kill()
        broker.start()
        write(broker, "second")
        assert stored(broker) == 2 * MANY
        assert broker.child.stop() == 0
        broker.start()
        assert stored(broker) == 2 * MANY
        log = broker.child.log.read_text()
        assert "offline" not in log, log
