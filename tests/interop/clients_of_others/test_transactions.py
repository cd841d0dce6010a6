"""Transactions of other clients, and Kafka's own tools about them, against our broker."""

import asyncio
import json
import time
from collections.abc import Iterator, Sequence

import pytest
from aiokafka import AIOKafkaProducer
from confluent_kafka import (
    Consumer,
    ConsumerGroupTopicPartitions,
    IsolationLevel,
    KafkaError,
    KafkaException,
    Producer,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient, OffsetSpec

from barnabas import Admin
from barnabas.testing import EmbeddedBroker
from tests.interop.brokers import InteropBroker
from tests.interop.clients.confluent import consumer_settings, take
from tests.interop.peers.brokers.our_broker import OurBroker
from tests.interop.peers.generations import (
    KAFKA_0_11,
    KAFKA_2_8,
    KAFKA_3_9,
    KAFKA_TOOLS_0_11,
    KAFKA_TOOLS_1,
    KAFKA_TOOLS_2_8,
)
from tests.interop.peers.java_client import java_client
from tests.interop.peers.kafka_tools import run_class, run_tool
from tests.interop.peers.maven import KAFKA_4, MavenPeer
from tests.interop.peers.missing import PeerMissing, give_up
from tests.interop.transactions import SECONDS, write_transactions

pytestmark = pytest.mark.interop

OUTCOMES = (("commit", 30), ("abort", 20), ("commit", 10), ("abort", 1), ("commit", 5))


def read_committed(address: str, topic: str, count: int) -> list[bytes]:
    """The first values of partition 0 that count, and no other."""
    consumer = Consumer(consumer_settings(address) | {"isolation.level": "read_committed"})
    consumer.assign([TopicPartition(topic, 0, 0)])
    values = [message.value() for message in take(consumer, count, SECONDS)]
    assert consumer.poll(0.3) is None
    consumer.close()
    return values


def ends(address: str, topic: str) -> tuple[int, int]:
    """Where the log ends, and up to where it is decided."""
    admin = AdminClient({"bootstrap.servers": address})
    place = {TopicPartition(topic, 0): OffsetSpec.latest()}
    found = []
    for isolation in (IsolationLevel.READ_UNCOMMITTED, IsolationLevel.READ_COMMITTED):
        (future,) = admin.list_offsets(place, isolation_level=isolation).values()
        found.append(future.result(SECONDS).offset)
    return found[0], found[1]


def test_what_was_aborted_is_not_read(broker: InteropBroker) -> None:
    topic, address = broker.new_topic(), broker.bootstrap_servers
    written, committed = write_transactions(address, topic, OUTCOMES)
    assert read_committed(address, topic, len(committed)) == committed
    assert ends(address, topic) == (len(written) + len(OUTCOMES),) * 2


def test_what_is_open_is_not_read(broker: InteropBroker) -> None:
    topic, address = broker.new_topic(), broker.bootstrap_servers
    producer = Producer({"bootstrap.servers": address, "transactional.id": f"open-{topic}"})
    producer.init_transactions(SECONDS)
    producer.begin_transaction()
    producer.produce(topic, b"not yet", partition=0)
    producer.flush(SECONDS)
    assert ends(address, topic) == (1, 0)
    assert read_committed(address, topic, 0) == []
    producer.commit_transaction(SECONDS)
    assert read_committed(address, topic, 1) == [b"not yet"]
    assert ends(address, topic) == (2, 2)


def test_a_second_producer_fences_the_first(broker: InteropBroker) -> None:
    topic, address = broker.new_topic(), broker.bootstrap_servers
    settings = {"bootstrap.servers": address, "transactional.id": f"fence-{topic}"}
    first, second = Producer(settings), Producer(settings)
    first.init_transactions(SECONDS)
    first.begin_transaction()
    first.produce(topic, b"of the first", partition=0)
    first.flush(SECONDS)
    second.init_transactions(SECONDS)
    with pytest.raises(KafkaException) as caught:
        first.commit_transaction(SECONDS)
    assert caught.value.args[0].fatal()
    second.begin_transaction()
    second.produce(topic, b"of the second", partition=0)
    second.commit_transaction(SECONDS)
    assert read_committed(address, topic, 1) == [b"of the second"]


def stable_offset(admin: AdminClient, group: str, topic: str) -> int:
    """What a group committed; asked again while a marker is on its way."""
    deadline = time.monotonic() + SECONDS
    while True:
        asked = [ConsumerGroupTopicPartitions(group, [TopicPartition(topic, 0)])]
        (future,) = admin.list_consumer_group_offsets(asked, require_stable=True).values()
        (found,) = future.result(SECONDS).topic_partitions
        if found.error is None or time.monotonic() > deadline:
            return int(found.offset)
        time.sleep(0.05)


def test_offsets_count_with_their_transaction(broker: InteropBroker) -> None:
    topic, address = broker.new_topic(), broker.bootstrap_servers
    group = f"group-{topic}"
    consumer = Consumer(consumer_settings(address) | {"group.id": group})
    admin = AdminClient({"bootstrap.servers": address})
    producer = Producer({"bootstrap.servers": address, "transactional.id": f"offsets-{topic}"})
    producer.init_transactions(SECONDS)
    found: list[int] = []
    for end, offset in ((producer.commit_transaction, 3), (producer.abort_transaction, 7)):
        producer.begin_transaction()
        producer.send_offsets_to_transaction(
            [TopicPartition(topic, 0, offset)], consumer.consumer_group_metadata(), SECONDS
        )
        end(SECONDS)
        found.append(stable_offset(admin, group, topic))
    consumer.close()
    assert found == [3, 3]


def test_aiokafka(broker: InteropBroker) -> None:
    topic, address = broker.new_topic(), broker.bootstrap_servers

    async def write() -> None:
        producer = AIOKafkaProducer(
            bootstrap_servers=address, transactional_id=f"aio-{topic}", enable_idempotence=True
        )
        await producer.start()
        try:
            for number in range(6):
                await producer.begin_transaction()
                await producer.send_and_wait(topic, b"%d" % number, partition=0)
                if number % 2:
                    await producer.abort_transaction()
                else:
                    await producer.commit_transaction()
        finally:
            await producer.stop()

    asyncio.run(write())
    assert read_committed(address, topic, 3) == [b"0", b"2", b"4"]


@pytest.fixture
def ours(our_broker: OurBroker) -> Iterator[InteropBroker]:
    try:
        yield InteropBroker(our_broker)
    except PeerMissing as missing:
        give_up(missing)


def fill(address: str, topic: str, count: int) -> list[str]:
    producer = Producer({"bootstrap.servers": address})
    values = [str(number) for number in range(count)]
    for value in values:
        producer.produce(topic, value, partition=0)
    producer.flush(SECONDS)
    return values


@pytest.mark.java
@pytest.mark.parametrize(
    "release",
    [
        pytest.param(KAFKA_0_11, marks=pytest.mark.long),
        KAFKA_2_8,
        pytest.param(KAFKA_3_9, marks=pytest.mark.long),
        KAFKA_4,
    ],
    ids=lambda one: one.name,
)
def test_java_of_four_generations(ours: InteropBroker, release: MavenPeer) -> None:
    source, target = ours.new_topic(), ours.new_topic()
    values = fill(ours.bootstrap_servers, source, 300)
    with java_client(release, {"copy": "CopyInTransactions"}) as client:
        assert client.copy(ours.bootstrap_servers, source, target, 300) == values
    assert ends(ours.bootstrap_servers, target)[0] > 300 + 6


ALONE, MEMBER = (), ("--group-mode", "--use-group-metadata")
COPIERS = (
    pytest.param(KAFKA_TOOLS_0_11, ALONE, id="0.11.0.3", marks=pytest.mark.long),
    pytest.param(KAFKA_TOOLS_1, ALONE, id="1.1.1", marks=pytest.mark.long),
    pytest.param(KAFKA_TOOLS_2_8, ALONE, id="2.8.2", marks=pytest.mark.long),
    pytest.param(KAFKA_TOOLS_2_8, MEMBER, id="2.8.2-member", marks=pytest.mark.long),
    pytest.param(KAFKA_3_9, MEMBER, id="3.9.2-member", marks=pytest.mark.long),
    pytest.param(KAFKA_4, ALONE, id="4.3.0"),
    pytest.param(KAFKA_4, MEMBER, id="4.3.0-member", marks=pytest.mark.long),
)


@pytest.mark.java
@pytest.mark.parametrize(("release", "options"), COPIERS)
def test_java_copies_exactly_once(
    ours: InteropBroker, release: MavenPeer, options: tuple[str, ...]
) -> None:
    source, target = ours.new_topic(), ours.new_topic()
    address = ours.bootstrap_servers
    values = [value.encode() for value in fill(address, source, 400)]
    printed = run_class(
        release, "org.apache.kafka.tools.TransactionalMessageCopier", "--broker-list", address,
        "--input-topic", source, "--input-partition", "0", "--output-topic", target,
        "--transactional-id", f"id-{target}", "--transaction-size", "40",
        "--consumer-group", f"group-{target}", "--max-messages", "400", "--enable-random-aborts",
        *options,
    )  # fmt: skip
    if release not in (KAFKA_TOOLS_0_11, KAFKA_TOOLS_1):  # They do not say so.
        assert json.loads(printed.splitlines()[-1])["totalProcessed"] == 400
    assert read_committed(address, target, 400) == values


def transactions(address: str, *arguments: str) -> list[list[str]]:
    """What the tool prints, as cells of a table."""
    printed = run_tool("TransactionsCommand", "--bootstrap-server", address, *arguments)
    return [[cell.strip() for cell in line.split("\t")] for line in printed.splitlines()]


def cells(table: Sequence[Sequence[str]], *names: str) -> list[str]:
    """Some cells of the only row."""
    head, row = table
    return [row[head.index(name)] for name in names]


@pytest.mark.java
def test_the_transactions_command(broker: InteropBroker) -> None:
    topic, address = broker.new_topic(), broker.bootstrap_servers
    name = f"committed-{topic}"
    lasting = {"transaction.timeout.ms": 600_000}  # The tool is started again for each question.
    producer = Producer({"bootstrap.servers": address, "transactional.id": name, **lasting})
    producer.init_transactions(SECONDS)
    producer.begin_transaction()
    producer.produce(topic, b"x", partition=0)
    producer.flush(SECONDS)
    listed = transactions(address, "list")
    assert [row[3] for row in listed if row[0] == name] == ["Ongoing"]
    described = transactions(address, "describe", "--transactional-id", name)
    state = cells(described, "ProducerEpoch", "TransactionState", "TopicPartitions")
    assert state == ["0", "Ongoing", f"{topic}-0"]
    writers = transactions(address, "describe-producers", "--topic", topic, "--partition", "0")
    start = cells(
        writers, "LatestCoordinatorEpoch", "LastSequence", "CurrentTransactionStartOffset"
    )
    assert start == ["-1", "0", "0"]
    hanging = ("find-hanging", "--broker-id", "1", "--max-transaction-timeout", "0")
    assert transactions(address, *hanging)[1:] == []
    transactions(address, "abort", "--topic", topic, "--partition", "0", "--start-offset", "0")
    assert ends(address, topic) == (2, 2)
    assert read_committed(address, topic, 0) == []


def test_librdkafka_ends_for_good_where_no_partition_got_into_its_transaction() -> None:
    """It sends an abort nevertheless, of the transaction before for all that the coordinator knows.

    Kafka's answer is INVALID_TXN_STATE, too: `differential/transaction_edges.py` has them side by side.
    """
    with EmbeddedBroker() as broker:
        commit_one_and_begin_another(broker)
        with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
            assert admin.describe_transactions(["t"])["t"].state == "CompleteCommit"


def commit_one_and_begin_another(broker: EmbeddedBroker) -> None:
    settings = {"transactional.id": "t", "transaction.timeout.ms": 1500, "log_level": 0}
    producer = Producer({**settings, "bootstrap.servers": broker.bootstrap_servers})
    producer.init_transactions(SECONDS)
    producer.begin_transaction()
    producer.produce("dogs", "before")
    producer.commit_transaction(SECONDS)
    broker.faults.fail("AddPartitionsToTxn", error="COORDINATOR_NOT_AVAILABLE")
    producer.begin_transaction()
    producer.produce("dogs", "never")
    with pytest.raises(KafkaException) as raised:
        producer.commit_transaction(SECONDS)
    assert raised.value.args[0].txn_requires_abort()
    with pytest.raises(KafkaException) as raised:
        producer.abort_transaction(SECONDS)
    assert raised.value.args[0].fatal()
    assert raised.value.args[0].code() == KafkaError.INVALID_TXN_STATE
