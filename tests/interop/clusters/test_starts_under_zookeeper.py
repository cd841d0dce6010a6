"""A member's start without an answer of ZooKeeper: it logs that, can be stopped, and continues later."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

import pytest

from barnabas import Admin, NewTopic, Producer
from barnabas.errors import KafkaError
from barnabas.testing import EmbeddedBroker
from tests.interop.peers.brokers.our_broker import OurBroker
from tests.interop.peers.brokers.zookeeper import ZooKeeper
from tests.interop.peers.brokers.zookeeper_link import Fault, ZooKeeperLink
from tests.interop.peers.missing import PeerMissing, give_up
from tests.waiting import wait

pytestmark = [pytest.mark.interop, pytest.mark.java]

SECONDS = 40.0
SIGTERM_WAS_OBEYED = 0
LEAST = 10
"""Requests of a start; there are more."""


@pytest.fixture(scope="module")
def keeper() -> Iterator[ZooKeeper]:
    try:
        with ZooKeeper() as keeper:
            yield keeper
    except PeerMissing as missing:
        give_up(missing)


def properties(port: int, **more: str) -> dict[str, str]:
    return {
        "broker.id": "7",
        "cluster.member": "true",
        "zookeeper.connect": f"127.0.0.1:{port}/starts/{time.monotonic_ns()}",
        "zookeeper.session.timeout.ms": "30000",
        "inter.broker.protocol.version": "2.6",
        **{name.replace("_", "."): value for name, value in more.items()},
    }


def wait_for_line(broker: OurBroker, text: str) -> None:
    wait(lambda: text in broker.child.log.read_text(), broker.child.tail)


@pytest.fixture
def broker(keeper: ZooKeeper) -> Iterator[OurBroker]:
    with keeper.child.paused():
        made = OurBroker(properties=properties(keeper.port))
        made.spawn()
        yield made
        made.child.stop()


def test_it_says_what_it_waits_for_and_ends_with_a_signal(broker: OurBroker) -> None:
    wait_for_line(broker, "start waits")
    assert "ZooKeeper at 127.0.0.1:" in broker.child.tail()
    assert broker.child.stop() == SIGTERM_WAS_OBEYED, broker.child.tail()


def test_it_goes_on_when_zookeeper_does(keeper: ZooKeeper) -> None:
    broker = OurBroker(properties=properties(keeper.port))
    with keeper.child.paused():
        broker.spawn()
        wait_for_line(broker, "start waits")
    with broker.child:
        wait_for_line(broker, "start goes on")
        create(broker.bootstrap_servers)


def test_the_first_connection_is_waited_for_as_long_as_its_property_says(keeper: ZooKeeper) -> None:
    config = properties(keeper.port, zookeeper_connection_timeout_ms="1500")
    broker = OurBroker(properties=config)
    with keeper.child.paused():
        broker.spawn()
        assert broker.child.process.wait(SECONDS) == 1
    assert "did not answer within 1500 ms" in broker.child.tail()


@pytest.mark.parametrize("step", [10, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("fault", Fault)
def test_it_goes_on_whatever_request_is_hit(keeper: ZooKeeper, fault: Fault, step: int) -> None:
    with ZooKeeperLink(keeper.port) as link, EmbeddedBroker(properties(link.port)):
        requests = link.requests
    assert requests > LEAST
    for at in range(0, requests, step):
        with (
            ZooKeeperLink(keeper.port, fault, at) as link,
            started(EmbeddedBroker(properties(link.port)), link) as broker,
        ):
            create(broker.bootstrap_servers)
            with Producer({"acks": "all"}, bootstrap_servers=broker.bootstrap_servers) as producer:
                producer.send("dogs", b"woof").result(SECONDS)


@contextmanager
def started(broker: EmbeddedBroker, link: ZooKeeperLink) -> Iterator[EmbeddedBroker]:
    """Start a broker whose session goes through a link, and heal the link when it has failed."""
    with ThreadPoolExecutor(1) as threads:
        starting = threads.submit(broker.start)
        # A request near the end may be one that the start does not wait for: then it comes a little later.
        assert link.hit.wait(SECONDS)
        link.heal()
        starting.result(SECONDS)
        try:
            yield broker
        finally:
            broker.stop()


def create(servers: str) -> None:
    """Make a topic; a member is the controller a little after its start."""
    deadline = time.monotonic() + SECONDS
    with Admin(bootstrap_servers=servers) as admin:
        while not admin.list_topics():
            with suppress(KafkaError):
                admin.create_topics([NewTopic("dogs", 1)])
            assert time.monotonic() < deadline
