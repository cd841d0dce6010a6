"""The leader epoch that a commit carries: what Java commits at an offset, our consumer does too."""

import pytest

from barnabas import Admin, CommittedOffset, Consumer, Producer
from tests.interop.brokers import InteropBroker
from tests.interop.peers.brokers.real_kafka import RealKafka
from tests.interop.peers.kafka_tools import run_tool

pytestmark = [pytest.mark.interop, pytest.mark.java, pytest.mark.long]

SECONDS = 40.0


def fill(address: str, topic: str) -> None:
    with Producer(bootstrap_servers=address) as producer:
        for number in range(10):
            producer.send(topic, b"%d" % number, partition=0)


def java_reads(address: str, topic: str, group: str, count: int) -> None:
    run_tool(
        "consumer.ConsoleConsumer", "--bootstrap-server", address, "--topic", topic,
        "--group", group, "--from-beginning", "--max-messages", str(count),
        "--timeout-ms", "30000", "--command-property", "max.poll.records=1",
    )  # fmt: skip


def we_read(address: str, topic: str, group: str, count: int) -> None:
    settings = {"bootstrap.servers": address, "group.id": group, "auto.offset.reset": "earliest"}
    with Consumer(settings, max_poll_records=1) as consumer:
        consumer.subscribe([topic])
        for _ in range(count):
            assert consumer.poll(SECONDS)


def we_copy(address: str, topic: str, group: str, count: int) -> None:
    """Read, and commit in a transaction."""
    settings = {
        "bootstrap.servers": address,
        "group.id": group,
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
    }
    with (
        Consumer(settings, max_poll_records=1) as consumer,
        Producer({"bootstrap.servers": address, "transactional.id": group}) as producer,
    ):
        producer.init_transactions()
        consumer.subscribe([topic])
        records = [record for _ in range(count) for record in consumer.poll(SECONDS)]
        assert len(records) == count
        with producer.transaction():
            last = records[-1]
            place = (topic, last.partition)
            offsets = {place: last.offset + 1}
            producer.send_offsets_to_transaction(offsets, consumer.group_metadata())


def test_it_is_that_of_the_last_batch_before_the_offset() -> None:
    with RealKafka() as kafka:
        topic, address = InteropBroker(kafka).new_topic(), kafka.bootstrap_servers
        fill(address, topic)
        kafka.restart()
        fill(address, topic)
        with Admin(bootstrap_servers=address) as admin:
            saved: dict[int, CommittedOffset] = {}
            for count in (7, 10, 11, 15):
                java_reads(address, topic, f"java-{count}", count)
                we_read(address, topic, f"ours-{count}", count)
                we_copy(address, topic, f"copy-{count}", count)
                (theirs,) = admin.list_group_offsets(f"java-{count}").values()
                (mine,) = admin.list_group_offsets(f"ours-{count}").values()
                # Kafka waits with what is not yet marked as committed only where it is asked for.
                place = [(topic, 0)]
                (copied,) = admin.list_group_offsets(f"copy-{count}", place).values()
                assert mine == theirs == copied
                saved[count] = mine
        assert saved[7].leader_epoch == saved[10].leader_epoch < saved[11].leader_epoch
