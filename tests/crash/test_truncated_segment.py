"""A segment that is truncated under a running broker: the log names it, and other partitions are served."""

import pytest

from barnabas import Consumer, Producer, TopicPartition
from tests.interop.peers.brokers.our_broker import OurBroker

SECONDS = 60.0
LARGE = "large"
OTHER = "other"


@pytest.mark.parametrize("count", [3, 40], ids=["copied into memory", "sent from the file"])
def test_the_log_names_the_file_and_other_topics_are_served(count: int) -> None:
    with OurBroker() as broker:
        servers = broker.bootstrap_servers
        with Producer(bootstrap_servers=servers) as producer:
            for _ in range(count):
                producer.send(LARGE, bytes(60_000)).result(SECONDS)
            producer.send(OTHER, b"still here").result(SECONDS)
        (segment,) = (broker.data_dir / f"{LARGE}-0").glob("*.log")
        with segment.open("r+b") as file:
            file.truncate(100_000)

        fetch_all = {"max.partition.fetch.bytes": 50_000_000, "check.crcs": False}
        with Consumer(fetch_all, bootstrap_servers=servers) as consumer:
            consumer.assign([TopicPartition(LARGE, 0)])
            consumer.seek_to_beginning()
            consumer.poll(timeout_s=2.0)
        assert f"{segment} ends before" in broker.child.log.read_text()

        with Consumer(bootstrap_servers=servers) as consumer:
            consumer.assign([TopicPartition(OTHER, 0)])
            consumer.seek_to_beginning()
            (record,) = consumer.poll(timeout_s=SECONDS)
        assert record.value == b"still here"
