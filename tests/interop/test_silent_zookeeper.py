"""A ZooKeeper that stands still (SIGSTOP): its members' clients are served meanwhile, whatever waits for it."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from barnabas import Admin, NewTopic, Producer
from barnabas.errors import KafkaError
from barnabas.testing import EmbeddedBroker
from tests.interop.peers.missing import PeerMissing, give_up
from tests.interop.peers.zookeeper import ZooKeeper

pytestmark = [pytest.mark.interop, pytest.mark.java]

SECONDS = 40.0
MANY = 100
"""Records that are acknowledged one after the other while a call waits for ZooKeeper, for up to 5 seconds."""


@pytest.fixture(scope="module")
def keeper() -> Iterator[ZooKeeper]:
    try:
        with ZooKeeper() as keeper:
            yield keeper
    except PeerMissing as missing:
        give_up(missing)


@pytest.fixture
def member(keeper: ZooKeeper) -> Iterator[EmbeddedBroker]:
    place = f"{keeper.address}/silent/{time.monotonic_ns()}"
    config = {
        "cluster.member": True,
        "zookeeper.connect": place,
        "zookeeper.session.timeout.ms": 30_000,
        "inter.broker.protocol.version": "2.6",
    }
    with EmbeddedBroker(config) as broker:
        yield broker


def create(admin: Admin, name: str) -> None:
    """Make a topic; a member is the controller a little after its start."""
    deadline = time.monotonic() + SECONDS
    while True:
        try:
            admin.create_topics([NewTopic(name, 1)])
        except KafkaError:
            assert time.monotonic() < deadline
        else:
            return


def outcome(work: Callable[[], object]) -> object:
    try:
        return work()
    except KafkaError as error:
        return error


@pytest.mark.parametrize("what", ["topic", "partitions", "deletion"])
def test_records_are_acknowledged_while_the_controller_waits(
    keeper: ZooKeeper, member: EmbeddedBroker, what: str
) -> None:
    with (
        Admin(bootstrap_servers=member.bootstrap_servers) as admin,
        Producer({"acks": "all"}, bootstrap_servers=member.bootstrap_servers) as producer,
        ThreadPoolExecutor(1) as threads,
    ):
        create(admin, "dogs")
        create(admin, "cats")
        producer.send("dogs", b"before").result(SECONDS)
        work: dict[str, Callable[[], object]] = {
            "topic": lambda: admin.create_topics([NewTopic("mice", 1)]),
            "partitions": lambda: admin.create_partitions({"cats": 2}),
            "deletion": lambda: admin.delete_topics(["cats"]),
        }
        acknowledged = 0
        with keeper.child.paused():
            asked: Future[object] = threads.submit(outcome, work[what])
            while not asked.done() and acknowledged < MANY:
                producer.send("dogs", b"meanwhile").result(SECONDS)
                acknowledged += 1
            assert not asked.done(), "the controller cannot have written anything"
        assert acknowledged == MANY
        asked.result(SECONDS)
