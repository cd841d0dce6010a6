"""Transactions of our producer, on either broker and on old ones; librdkafka reads what counts."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest
from confluent_kafka import KafkaException
from confluent_kafka import Producer as ConfluentProducer
from confluent_kafka.admin import AdminClient

from barnabas import Admin, GroupMetadata, Producer, aio
from barnabas.errors import AbortableError, FatalError
from tests.interop.brokers import InteropBroker, wait_for
from tests.interop.clients_of_others.test_transactions import (
    ends,
    fill,
    read_committed,
    stable_offset,
)
from tests.interop.our_copier import COMMITTED, OFFSETS, SENT
from tests.interop.peers.brokers.old_kafka import OldKafka
from tests.interop.peers.brokers.real_kafka import RealKafka
from tests.interop.peers.generations import KAFKA_0_11, KAFKA_1, KAFKA_2_8
from tests.interop.peers.maven import MavenPeer
from tests.interop.peers.missing import PeerMissing, give_up
from tests.interop.transactions import SECONDS

pytestmark = pytest.mark.interop

ROOT = Path(__file__).parents[3]
OF_TRANSACTIONS = {
    "transaction.state.log.num.partitions": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
}


def values(start: int, count: int) -> list[bytes]:
    return [b"%d" % number for number in range(start, start + count)]


def write(address: str, topic: str, outcomes: Sequence[bool]) -> list[bytes]:
    """Transactions with records one by one and as tables, with offsets; what of them counts."""
    counts: list[bytes] = []
    settings = {"bootstrap.servers": address, "transactional.id": topic, "compression.type": "gzip"}
    with Producer(settings) as producer:
        producer.init_transactions()
        for number, commits in enumerate(outcomes):
            producer.begin_transaction()
            single, table = values(number * 100, 30), values(number * 100 + 30, 30)
            for value in single:
                producer.send(topic, value, partition=0)
            producer.flush()
            producer.send_arrow(topic, pa.table({"value": table}), partition=0).result(SECONDS)
            offsets = {(topic, 0): number + 1}
            producer.send_offsets_to_transaction(offsets, GroupMetadata(f"of-{topic}"))
            if commits:
                producer.commit_transaction()
                counts += single + table
            else:
                producer.abort_transaction()
    return counts


def check(address: str, topic: str) -> None:
    """Commits and aborts are seen as such by librdkafka, offsets of groups too."""
    outcomes = (True, False, False, True, True, False)
    counts = write(address, topic, outcomes)
    assert read_committed(address, topic, len(counts)) == counts
    # A broker answers who ends a transaction before its markers are written.
    wait_for(lambda: ends(address, topic) == (len(outcomes) * 61,) * 2)
    admin = AdminClient({"bootstrap.servers": address})
    assert stable_offset(admin, f"of-{topic}", topic) == 5


def test_what_counts(broker: InteropBroker) -> None:
    topic = broker.new_topic()
    check(broker.bootstrap_servers, topic)
    with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
        wait_for(lambda: admin.describe_transactions([topic])[topic].state == "CompleteAbort")
        reported = admin.describe_transactions([topic])[topic]
    assert reported.producer_epoch == 6, "by version 2 each transaction has its epoch"


def test_with_asyncio(broker: InteropBroker) -> None:
    topic, address = broker.new_topic(), broker.bootstrap_servers

    async def transactions() -> None:
        async with aio.Producer(bootstrap_servers=address, transactional_id=topic) as producer:
            await producer.init_transactions()
            for number in range(6):
                await producer.begin_transaction()
                _ = await producer.send(topic, b"%d" % number, partition=0)
                if number % 2:
                    await producer.flush()
                    await producer.abort_transaction()
                else:
                    await producer.commit_transaction()

    asyncio.run(transactions())
    assert read_committed(address, topic, 3) == [b"0", b"2", b"4"]


def test_a_lost_record_takes_its_transaction_with_it(broker: InteropBroker) -> None:
    topic, address = broker.new_topic({"max.message.bytes": "1000"}), broker.bootstrap_servers
    with Producer(bootstrap_servers=address, transactional_id=topic) as producer:
        producer.init_transactions()
        producer.begin_transaction()
        producer.send(topic, b"fits", partition=0).result(SECONDS)
        producer.send(topic, bytes(5000), partition=0)
        with pytest.raises(AbortableError, match="MESSAGE_TOO_LARGE"):
            producer.commit_transaction()
        producer.abort_transaction()
        with producer.transaction():
            producer.send(topic, b"next", partition=0)
    assert read_committed(address, topic, 1) == [b"next"]


def test_librdkafka_fences_ours(broker: InteropBroker) -> None:
    topic, address = broker.new_topic(), broker.bootstrap_servers
    settings = {"bootstrap.servers": address, "transactional.id": f"fence-{topic}"}
    theirs = ConfluentProducer(settings)
    with Producer(settings) as ours:
        ours.init_transactions()
        ours.begin_transaction()
        ours.send(topic, b"of ours", partition=0).result(SECONDS)
        theirs.init_transactions(SECONDS)
        with pytest.raises(FatalError, match="another producer has started"):
            ours.commit_transaction()
    theirs.begin_transaction()
    theirs.produce(topic, b"of theirs", partition=0)
    theirs.commit_transaction(SECONDS)
    assert read_committed(address, topic, 1) == [b"of theirs"]


def test_ours_fences_librdkafka(broker: InteropBroker) -> None:
    topic, address = broker.new_topic(), broker.bootstrap_servers
    settings = {"bootstrap.servers": address, "transactional.id": f"fence-{topic}"}
    theirs = ConfluentProducer(settings)
    theirs.init_transactions(SECONDS)
    theirs.begin_transaction()
    theirs.produce(topic, b"of theirs", partition=0)
    theirs.flush(SECONDS)
    with Producer(settings) as ours:
        ours.init_transactions()
        with pytest.raises(KafkaException) as caught:
            theirs.commit_transaction(SECONDS)
        assert caught.value.args[0].fatal()
        with ours.transaction():
            ours.send(topic, b"of ours", partition=0)
    assert read_committed(address, topic, 1) == [b"of ours"]


def test_a_job_that_is_killed_again_and_again_copies_all_once(group_broker: InteropBroker) -> None:
    address = group_broker.bootstrap_servers
    source, target = group_broker.new_topic(), group_broker.new_topic()
    expected = [value.encode() for value in fill(address, source, 200)]
    for dies in (SENT, OFFSETS, COMMITTED, "not at all"):
        command = [sys.executable, "-m", "tests.interop.our_copier", address, source, target, dies]
        ended = subprocess.run(command, cwd=ROOT, timeout=120, check=False)
        assert ended.returncode == (0 if dies == "not at all" else -signal.SIGKILL)
    assert read_committed(address, target, len(expected)) == expected
    admin = AdminClient({"bootstrap.servers": address})
    assert stable_offset(admin, f"group-of-{target}", source) == len(expected)


@pytest.mark.java
@pytest.mark.long
@pytest.mark.parametrize("release", [KAFKA_0_11, KAFKA_1, KAFKA_2_8], ids=lambda one: one.name)
def test_old_brokers(release: MavenPeer) -> None:
    try:
        with OldKafka(release, OF_TRANSACTIONS) as running:
            broker = InteropBroker(running)
            check(running.bootstrap_servers, broker.new_topic())
            if release is KAFKA_2_8:
                test_a_lost_record_takes_its_transaction_with_it(broker)
    except PeerMissing as missing:
        give_up(missing)


@pytest.mark.java
@pytest.mark.long
def test_version_1_on_a_broker_of_today() -> None:
    try:
        with RealKafka(features={"transaction.version": 1}) as running:
            topic = InteropBroker(running).new_topic()
            check(running.bootstrap_servers, topic)
            with Admin(bootstrap_servers=running.bootstrap_servers) as admin:
                reported = admin.describe_transactions([topic])[topic]
            assert reported.producer_epoch == 0, "by version 1 the epoch stays"
            test_a_lost_record_takes_its_transaction_with_it(InteropBroker(running))
    except PeerMissing as missing:
        give_up(missing)
