"""What compaction has left stays after a kill, also where the topic is no longer a compacted one."""

import time

from barnabas import Consumer, Producer
from barnabas.types import TopicPartition
from tests.interop.compacting import cleaned_up_to
from tests.interop.peers.brokers.our_broker import OurBroker

COMPACTED = {
    "log.cleanup.policy": "compact",
    "log.segment.bytes": "1048576",
    "log.cleaner.min.cleanable.ratio": "0.01",
    "log.cleaner.backoff.ms": "100",
}
SEGMENTS = 4
SECONDS = 60.0
PLACE = TopicPartition("t", 0)


def write(broker: OurBroker) -> None:
    """In each segment nine records that stay and a last one that the next segment supersedes."""
    with Producer(bootstrap_servers=broker.bootstrap_servers, linger_ms=0) as producer:
        for number in range(SEGMENTS * 10):
            key = "z" if number % 10 == 9 else f"k{number}"
            producer.send("t", bytes(100_000), key=key, partition=0).result(30)


def offsets(broker: OurBroker) -> list[int]:
    with Consumer(bootstrap_servers=broker.bootstrap_servers) as consumer:
        consumer.assign([PLACE])
        consumer.seek_to_beginning()
        end = consumer.end_offsets([PLACE])[PLACE]
        found: list[int] = []
        while consumer.position(PLACE) < end:
            found += [record.offset for record in consumer.poll(timeout_s=5)]
        return found


def wait_for_compaction(broker: OurBroker) -> None:
    """Wait until nothing is left that the cleaner may take: all but the segment that is written to."""
    deadline = time.monotonic() + SECONDS
    active = max(int(log.stem) for log in (broker.data_dir / "t-0").glob("*.log"))
    while cleaned_up_to(broker.data_dir) < active:
        assert time.monotonic() < deadline, "nothing was compacted"
        time.sleep(0.05)


def test_a_kill_takes_nothing_where_the_policy_is_another_then() -> None:
    with OurBroker(properties=COMPACTED) as broker:
        write(broker)
        wait_for_compaction(broker)
        before = offsets(broker)
        assert len(before) < SEGMENTS * 10
        broker.child.kill()
        broker.properties = {}
        broker.start()
        assert offsets(broker) == before
        (reported,) = [
            line for line in broker.child.log.read_text().splitlines() if "recovered" in line
        ]
        assert "warning" in reported.lower()
        assert "are not there, between segments that are whole" in reported
