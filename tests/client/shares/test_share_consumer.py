"""ShareConsumer, plain and asyncio, on a broker of ours."""

import asyncio
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator

import pytest

from barnabas import (
    AcknowledgeType,
    Admin,
    BrokerError,
    ConfigError,
    Consumer,
    ErrorCode,
    Producer,
    Record,
    Resource,
    ShareConsumer,
    WakeupError,
)
from barnabas.aio import ShareConsumer as AsyncShareConsumer
from barnabas.errors import LocalProtocolError
from barnabas.testing import EmbeddedBroker

SECONDS = 20


@pytest.fixture(scope="module")
def broker() -> Iterator[EmbeddedBroker]:
    # A new member gets its partitions with a heartbeat: soon here, in Kafka after up to five seconds.
    soon = {
        "group.share.heartbeat.interval.ms": "200",
        "group.share.min.heartbeat.interval.ms": "200",
    }
    with EmbeddedBroker({"group.share.record.lock.duration.ms": "15000", **soon}) as made:
        yield made


@pytest.fixture
def group(broker: EmbeddedBroker, request: pytest.FixtureRequest) -> str:
    """A group that reads from the first record on."""
    name: str = request.node.name
    with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
        admin.alter_configs(Resource.GROUP, name, {"share.auto.offset.reset": "earliest"})
    return name


def fill(broker: EmbeddedBroker, topic: str, count: int, first: int = 0) -> None:
    with Producer(bootstrap_servers=broker.bootstrap_servers, batch_size=200) as producer:
        for number in range(first, first + count):
            producer.send(topic, str(number))


def member(broker: EmbeddedBroker, group: str, **more: object) -> ShareConsumer:
    return ShareConsumer(bootstrap_servers=broker.bootstrap_servers, group_id=group, **more)


def take(consumer: ShareConsumer, count: int) -> list[Record]:
    found: list[Record] = []
    while len(found) < count:
        records = consumer.poll(timeout_s=SECONDS)
        assert records, f"{len(found)} of {count}"
        found += records
    return found


def test_each_record_is_delivered_once_and_accepted(broker: EmbeddedBroker, group: str) -> None:
    fill(broker, group, 300)
    with member(broker, group) as consumer:
        consumer.subscribe([group])
        assert consumer.subscription() == [group]
        records = take(consumer, 300)
        assert sorted(int(record.value or b"") for record in records) == list(range(300))
        assert set(consumer.commit().values()) == {None}
        assert consumer.poll(timeout_s=0.5) == []
        assert consumer.metrics().records == 300
    with member(broker, group) as consumer:
        consumer.subscribe([group])
        assert consumer.poll(timeout_s=1) == []


def test_two_members_share_the_records_of_one_partition(broker: EmbeddedBroker, group: str) -> None:
    found: Counter[int] = Counter()
    by_member: list[int] = []

    def work() -> None:
        with member(broker, group, max_poll_records=10) as consumer:
            consumer.subscribe([group])
            mine = 0
            end = time.monotonic() + SECONDS
            while sum(found.values()) < 400 and time.monotonic() < end:
                records = consumer.poll(timeout_s=0.2)
                mine += len(records)
                found.update(int(record.value or b"") for record in records)
                time.sleep(0.002)
            by_member.append(mine)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for first in range(0, 400, 10):  # for so long that both have joined
        fill(broker, group, 10, first=first)
        time.sleep(0.05)
    for thread in threads:
        thread.join()
    assert found == Counter(range(400))
    assert len(by_member) == 2
    assert all(by_member)


def test_release_and_reject(broker: EmbeddedBroker, group: str) -> None:
    fill(broker, group, 5)
    with member(broker, group) as consumer:
        consumer.subscribe([group])
        first = take(consumer, 5)
        assert [consumer.delivery_count(record) for record in first] == [1] * 5
        consumer.acknowledge(first[1], AcknowledgeType.RELEASE)
        consumer.acknowledge(first[3], AcknowledgeType.REJECT)
        (again,) = consumer.poll(timeout_s=SECONDS)
        assert again.offset == first[1].offset
        assert consumer.delivery_count(again) == 2
        assert consumer.poll(timeout_s=0.5) == []


def test_explicit_acknowledgement(broker: EmbeddedBroker, group: str) -> None:
    fill(broker, group, 2)
    with member(broker, group, share_acknowledgement_mode="explicit") as consumer:
        consumer.subscribe([group])
        one, two = take(consumer, 2)
        consumer.acknowledge(one)
        with pytest.raises(LocalProtocolError, match="1 records of the last poll are not"):
            consumer.poll(timeout_s=0)
        with pytest.raises(LocalProtocolError, match="not acquired"):
            consumer.acknowledge(one)
    with member(broker, group) as consumer:  # Closing has released the other.
        consumer.subscribe([group])
        (again,) = consumer.poll(timeout_s=SECONDS)
        assert again.offset == two.offset


def test_an_error_in_the_block_releases(broker: EmbeddedBroker, group: str) -> None:
    fill(broker, group, 1)

    def fail() -> None:
        with member(broker, group) as consumer:
            consumer.subscribe([group])
            take(consumer, 1)
            raise RuntimeError("the work failed")

    with pytest.raises(RuntimeError):
        fail()
    with member(broker, group) as consumer:
        consumer.subscribe([group])
        assert consumer.delivery_count(take(consumer, 1)[0]) == 2


def test_records_that_a_signal_kept_from_the_user_come_again(
    broker: EmbeddedBroker, group: str
) -> None:
    fill(broker, group, 1)
    with member(broker, group) as consumer:
        consumer.subscribe([group])
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        (record,) = take(consumer, 1)
        consumer.acknowledge(record, AcknowledgeType.RELEASE)
        assert len(take(consumer, 1)) == 1
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            consumer.poll(timeout_s=SECONDS)
        fill(broker, group, 1, first=1)
        assert [record.value for record in take(consumer, 1)] == [b"1"]


def test_wakeup_ends_a_poll(broker: EmbeddedBroker, group: str) -> None:
    with member(broker, group) as consumer:
        fill(broker, group, 1)
        consumer.subscribe([group])
        take(consumer, 1)
        threading.Timer(0.2, consumer.wakeup).start()
        with pytest.raises(WakeupError):
            consumer.poll()


def test_record_limit_is_never_exceeded(broker: EmbeddedBroker, group: str) -> None:
    with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        for number in range(100):
            producer.send(group, str(number))
    with member(broker, group, share_acquire_mode="record_limit", max_poll_records=7) as consumer:
        consumer.subscribe([group])
        sizes = [len(consumer.poll(timeout_s=SECONDS)) for _ in range(3)]
        assert sizes == [7, 7, 7]


def test_a_changed_subscription_is_read(broker: EmbeddedBroker, group: str) -> None:
    fill(broker, f"{group}-a", 10)
    fill(broker, f"{group}-b", 10)
    with member(broker, group) as consumer:
        consumer.subscribe([f"{group}-a"])
        assert {record.topic for record in take(consumer, 10)} == {f"{group}-a"}
        consumer.subscribe([f"{group}-b"])
        assert {record.topic for record in take(consumer, 10)} == {f"{group}-b"}


def test_it_goes_on_after_a_restart_of_the_broker(group: str) -> None:
    with EmbeddedBroker() as broker:
        with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
            admin.alter_configs(Resource.GROUP, group, {"share.auto.offset.reset": "earliest"})
        fill(broker, group, 10)
        with member(broker, group) as consumer:
            consumer.subscribe([group])
            take(consumer, 10)
            consumer.commit()
            broker.restart()
            fill(broker, group, 10, first=10)
            found = {int(record.value or b"") for record in take(consumer, 10)}
            assert found == set(range(10, 20))


def test_asyncio(broker: EmbeddedBroker, group: str) -> None:
    fill(broker, group, 50)

    async def run() -> list[int]:
        found = []
        async with AsyncShareConsumer(
            bootstrap_servers=broker.bootstrap_servers, group_id=group
        ) as consumer:
            consumer.subscribe([group])
            async for record in consumer:
                found.append(int(record.value or b""))
                if len(found) == 50:
                    break
            assert set((await consumer.commit()).values()) == {None}
        return found

    assert sorted(asyncio.run(run())) == list(range(50))


def test_what_an_iteration_did_not_come_to_is_not_accepted(
    broker: EmbeddedBroker, group: str
) -> None:
    fill(broker, group, 20)
    with member(broker, group) as consumer:
        consumer.subscribe([group])
        seen = []
        for record in consumer:
            seen.append(record.offset)
            if len(seen) == 5:
                break
        consumer.commit()
        (sixth,) = [record for record in consumer.poll(timeout_s=SECONDS) if record.offset == 5]
        assert consumer.delivery_count(sixth) == 1
        consumer.release_rest()
    with member(broker, group) as consumer:
        consumer.subscribe([group])
        again = take(consumer, 15)
        assert sorted(record.offset for record in again) == list(range(5, 20))


def test_an_iteration_of_asyncio_that_ends_early(broker: EmbeddedBroker, group: str) -> None:
    fill(broker, group, 3)

    async def iterate() -> int:
        async with AsyncShareConsumer(
            bootstrap_servers=broker.bootstrap_servers, group_id=group
        ) as consumer:
            consumer.subscribe([group])
            async for record in consumer:
                return record.offset
        raise AssertionError("it ends with its first record")

    assert asyncio.run(iterate()) == 0
    with member(broker, group) as consumer:
        consumer.subscribe([group])
        assert sorted(record.offset for record in take(consumer, 2)) == [1, 2]


def test_without_a_subscription_or_a_group() -> None:
    with pytest.raises(ConfigError, match="a share consumer needs a group"):
        ShareConsumer(bootstrap_servers="localhost:1")
    with ShareConsumer(bootstrap_servers="localhost:1", group_id="g") as consumer:
        with pytest.raises(LocalProtocolError, match="subscribe to topics first"):
            consumer.poll(timeout_s=1)
        with pytest.raises(TypeError, match=r"\['tasks'\]"):
            consumer.subscribe("tasks")
    with pytest.raises(LocalProtocolError, match="closed"):
        consumer.poll(timeout_s=1)


def test_brokers_without_share_groups() -> None:
    with (
        EmbeddedBroker(profile="3.9") as broker,
        member(broker, "g") as consumer,
    ):
        consumer.subscribe(["any"])
        with pytest.raises(BrokerError, match="ShareGroupHeartbeat") as refused:
            consumer.poll(timeout_s=SECONDS)
        assert refused.value.code is ErrorCode.UNSUPPORTED_VERSION


def test_a_group_of_another_kind_is_refused(broker: EmbeddedBroker, group: str) -> None:
    fill(broker, group, 1)
    with Consumer(bootstrap_servers=broker.bootstrap_servers, group_id=f"{group}-c") as other:
        other.subscribe([group])
        other.poll(timeout_s=1)
        with member(broker, f"{group}-c") as consumer:
            consumer.subscribe([group])
            with pytest.raises(BrokerError, match=f"group {group}-c"):
                consumer.poll(timeout_s=SECONDS)
