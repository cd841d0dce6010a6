"""The brokers of a comparison, with the same log policy: a bounded log of warm pages."""

import time
from collections.abc import Mapping
from typing import Protocol, Self

from confluent_kafka.admin import AdminClient, NewTopic

from benchmarks.peers.floor import Floor
from benchmarks.peers.load_generator import Batch, run_load
from tests.interop.brokers import wait_until_led
from tests.interop.peers.brokers.our_broker import OurBroker
from tests.interop.peers.brokers.real_kafka import RealKafka

# Deleted segments give their pages back at once; otherwise every broker pays for fresh ones.
POLICY = {
    "log.retention.check.interval.ms": "300",
    "log.segment.delete.delay.ms": "100",
    "num.partitions": "1",
    # Kafka's defaults, where the tests take less.
    "offsets.topic.num.partitions": "50",
    "transaction.state.log.num.partitions": "50",
    "group.initial.rebalance.delay.ms": "0",
}
BOUNDED = {
    "retention.ms": "-1",
    "retention.bytes": "100000000",
    "segment.bytes": "100000000",
    "file.delete.delay.ms": "100",
}
UNBOUNDED = {"retention.ms": "-1", "segment.bytes": "1073741824"}
# What Kafka's own start script gives the JVM.
KAFKA_JVM = (
    "-server",
    "-XX:+UseG1GC",
    "-XX:MaxGCPauseMillis=20",
    "-XX:InitiatingHeapOccupancyPercent=35",
    "-XX:+ExplicitGCInvokesConcurrent",
)
WARM_BYTES = 3_000_000_000
WARM_SMALL = 20_000


class Broker(Protocol):
    """A running broker under load."""

    name: str
    port: int

    @property
    def pid(self) -> int:
        """Its process."""
        ...

    @property
    def bootstrap_servers(self) -> str:
        """Its address."""
        ...


class BenchKafka(RealKafka):
    """Real Kafka as its start script runs it, with the policy of the comparison."""

    def __init__(self, properties: Mapping[str, str] | None = None) -> None:
        rows = {**POLICY, **(properties or {})}
        super().__init__(heap="1g", properties=rows, jvm_flags=KAFKA_JVM)


class BenchOurs(OurBroker):
    """Our broker with the same policy."""

    def __init__(self, properties: Mapping[str, str] | None = None) -> None:
        super().__init__(properties={**POLICY, **(properties or {})})

    def __enter__(self) -> Self:
        self.start(step=0.001)
        return self


def cpu_seconds(pid: int) -> float:
    """What a process has taken of the processors since it began."""
    clock = ~pid << 3 | 2  # as clock_getcpuclockid names a process's clock
    return time.clock_gettime(clock)


def create_topic(broker: Broker, name: str, partitions: int, config: dict[str, str]) -> None:
    """Create a topic and wait until it is there."""
    if isinstance(broker, Floor):
        broker.create_topic(name, partitions, config)
        return
    admin = AdminClient({"bootstrap.servers": broker.bootstrap_servers})
    topic = NewTopic(name, num_partitions=partitions, replication_factor=1, config=config)
    for future in admin.create_topics([topic]).values():
        future.result(30)
    wait_until_led(admin, name, partitions)


def delete_topic(broker: Broker, name: str) -> None:
    """Delete a topic, so that its pages are free for the next."""
    if isinstance(broker, Floor):
        broker.delete_topic(name)
        return
    admin = AdminClient({"bootstrap.servers": broker.bootstrap_servers})
    for future in admin.delete_topics([name]).values():
        future.result(30)


def warm_up(broker: Broker, scale: float = 1.0) -> None:
    """Let a just-in-time compiler see every path: 3 GB of batches and 20,000 small requests."""
    create_topic(broker, "warm", 1, BOUNDED)
    small = max(100, int(scale * WARM_SMALL))
    for value in (1024, 100):
        batch = Batch.filling(65536, value)
        run_load(
            "produce", port=broker.port, topic="warm", value=value, records=batch.records,
            requests=int(scale * WARM_BYTES) // 2 // batch.size,
        )  # fmt: skip
    run_load("produce", port=broker.port, topic="warm", value=940, records=1, requests=small)
    run_load("ping", port=broker.port, topic="warm", value=100, records=1, requests=small)
    delete_topic(broker, "warm")
