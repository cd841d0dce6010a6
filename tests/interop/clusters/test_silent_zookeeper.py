"""A ZooKeeper that stands still (SIGSTOP): its members still serve clients, whichever requests wait for it."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from barnabas import Admin, NewTopic, Producer, Resource
from barnabas.errors import KafkaError
from barnabas.protocol.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    AlterUserScramCredentialsResponse,
    ScramCredentialUpsertion,
)
from barnabas.protocol.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
)
from barnabas.testing import EmbeddedBroker
from tests.interop.peers.brokers.zookeeper import ZooKeeper
from tests.unit.broker.raw_client import RawClient

pytestmark = [pytest.mark.interop, pytest.mark.java]

SECONDS = 40.0
MANY = 100
"""Records that are acknowledged one after the other while a call waits for ZooKeeper, for up to 5 seconds."""


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


def set_password(port: int) -> None:
    change = ScramCredentialUpsertion(
        name="me", mechanism=1, iterations=4096, salt=b"salt", salted_password=b"x" * 32
    )
    request = AlterUserScramCredentialsRequest(deletions=[], upsertions=[change])
    with RawClient(port) as client:
        client.ask(request, 0, AlterUserScramCredentialsResponse)


def commit(port: int) -> None:
    """As clients do that keep offsets in ZooKeeper."""
    part = OffsetCommitRequestPartition(
        partition_index=0, committed_offset=1, committed_metadata=""
    )
    topic = OffsetCommitRequestTopic(name="cats", partitions=[part])
    with RawClient(port) as client:
        client.ask(OffsetCommitRequest(group_id="g", topics=[topic]), 0, OffsetCommitResponse)


def outcome(work: Callable[[], object]) -> object:
    try:
        return work()
    except KafkaError as error:
        return error


@pytest.mark.parametrize(
    "what",
    [
        "topic",
        "partitions",
        "deletion",
        "topic's",
        "broker's",
        "group's",
        "quota",
        "password",
        "offset",
    ],
)
def test_records_are_acknowledged_while_another_request_waits(
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
            "topic's": lambda: admin.alter_configs(Resource.TOPIC, "cats", {"retention.ms": "1"}),
            "broker's": lambda: admin.alter_configs(Resource.BROKER, "", {"log.roll.ms": "60000"}),
            "group's": lambda: admin.alter_configs(
                Resource.GROUP, "g", {"consumer.session.timeout.ms": "50000"}
            ),
            "quota": lambda: admin.alter_client_quotas(
                {"client-id": "c"}, {"producer_byte_rate": 1000.0}
            ),
            "password": lambda: set_password(member.port),
            "offset": lambda: commit(member.port),
        }
        acknowledged = 0
        with keeper.child.paused():
            asked: Future[object] = threads.submit(outcome, work[what])
            while not asked.done() and acknowledged < MANY:
                producer.send("dogs", b"meanwhile").result(SECONDS)
                acknowledged += 1
            assert not asked.done(), "nothing can have been written"
        assert acknowledged == MANY
        asked.result(SECONDS)
