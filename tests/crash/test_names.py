"""What was stored under any legal name is there after a stop in order and after `kill -9`."""

import time
from collections import Counter
from collections.abc import Callable, Sequence

import pytest

from barnabas import Admin, Consumer, NewTopic, Producer, TopicPartition
from barnabas.dialects.proposal.frames import decode_response
from barnabas.dialects.proposal.messages import ProduceResponse
from tests.interop.peers.brokers.our_broker import OurBroker
from tests.interop.peers.ready import free_ports
from tests.unit.broker.topics.test_topic_names import ALLOWED
from tests.wires.golden07 import M1
from tests.wires.proposal_wire import ProposalWire, produce
from tests.wires.wire07 import Wire07

SECONDS = 60.0


class Broker(OurBroker):
    """Ours, with a listener for each wire."""

    def __init__(self) -> None:
        super().__init__()
        self.old_port, self.proposal_port = free_ports(2)
        self.properties = {
            "listeners": f"PLAINTEXT://127.0.0.1:{self.port},OLD://127.0.0.1:{self.old_port},"
            f"NEW://127.0.0.1:{self.proposal_port}",
            "listener.dialect.map": "OLD:kafka-0.7,NEW:proposal",
        }

    def again(self, *, kill: bool) -> None:
        """End it, in order or not, and start it."""
        if kill:
            self.child.kill()
        else:
            assert self.child.stop() == 0
        self.start()


def send(broker: Broker, topics: Sequence[str]) -> None:
    """The topics are made by asking where they are."""
    with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        for delivery in [producer.send(topic, b"rex") for topic in topics]:
            delivery.result(SECONDS)


def create_and_send(broker: Broker, topics: Sequence[str]) -> None:
    with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
        there = set(admin.list_topics())
        admin.create_topics([NewTopic(topic, 1, 1) for topic in topics if topic not in there])
    send(broker, topics)


def write_as_07(broker: Broker, topics: Sequence[str]) -> None:
    with Wire07(broker.old_port) as wire:
        for topic in topics:
            wire.produce(topic, 0, M1)
        for topic in topics:
            assert wire.fetch(topic)[1].endswith(M1), topic


def write_as_proposed(broker: Broker, topics: Sequence[str]) -> None:
    with ProposalWire(broker.proposal_port) as wire:
        wire.send(produce(1, *((topic, 0, M1) for topic in topics)))
        header, body = decode_response(wire.reply(), ProduceResponse)
        assert not header.error
        assert not any(body.errors), body


def stored(broker: Broker, topics: Sequence[str], least: int) -> Counter[str]:
    """How many records each topic has, once they are so many, or time is up."""
    found: Counter[str] = Counter()
    settings = {"bootstrap.servers": broker.bootstrap_servers, "auto.offset.reset": "earliest"}
    with Consumer(settings) as consumer:
        consumer.assign([TopicPartition(topic, 0) for topic in topics])
        deadline = time.monotonic() + SECONDS
        while found.total() < least and time.monotonic() < deadline:
            found.update(record.topic for record in consumer.poll(timeout_s=1))
    return found


@pytest.mark.parametrize("write", [send, create_and_send, write_as_07, write_as_proposed])
def test_what_was_acknowledged_is_there(write: Callable[[Broker, Sequence[str]], None]) -> None:
    with Broker() as broker:
        for times, kill in enumerate((False, True, False), 1):
            write(broker, ALLOWED)
            broker.again(kill=kill)
            found = stored(broker, ALLOWED, times * len(ALLOWED))
            assert found == dict.fromkeys(ALLOWED, times)
