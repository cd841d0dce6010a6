"""What a member commits by itself when a rebalance takes partitions from it: never undone work."""

import asyncio
from collections.abc import Callable, Iterator

import pytest

from barnabas import Admin, Consumer, NewTopic, Producer, TopicPartition, aio
from barnabas.testing.embedded_broker import EmbeddedBroker

SECONDS = 60.0
PARTITIONS, EACH = 4, 10


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    with EmbeddedBroker({"group.initial.rebalance.delay.ms": "0"}) as broker:
        yield broker.bootstrap_servers


def settings_of(servers: str, topic: str) -> dict[str, object]:
    """Of members of a group of its own that commit by themselves in rebalances only."""
    with Admin(bootstrap_servers=servers) as admin:
        admin.create_topics([NewTopic(topic, PARTITIONS, 1)])
    with Producer(bootstrap_servers=servers) as producer:
        for number in range(PARTITIONS * EACH):
            producer.send(topic, b"%d" % number, partition=number % PARTITIONS)
    return {
        "bootstrap.servers": servers,
        "group.id": f"of-{topic}",
        "auto.offset.reset": "earliest",
        "auto.commit.interval.ms": 600_000,
        "heartbeat.interval.ms": 50,
    }


async def until(done: Callable[[], bool]) -> None:
    while True:
        if done():
            return
        await asyncio.sleep(0.01)


def test_a_poll_that_begins_a_rebalance_commits_what_earlier_polls_gave(servers: str) -> None:
    settings = settings_of(servers, "eager")
    with Consumer(settings) as one:
        one.subscribe(["eager"])
        (first,) = one.poll(SECONDS, 1)
        one.enforce_rebalance()
        assert one.poll(SECONDS), "nothing was read again after the rebalance"
        done = one.committed([TopicPartition("eager", number) for number in range(PARTITIONS)])
        assert done.pop(TopicPartition(first.topic, first.partition)) == 1
        assert not any(done.values())


def test_what_the_user_works_on_is_not_committed_in_the_background(servers: str) -> None:
    async def main() -> None:
        settings = settings_of(servers, "calm")
        settings["partition.assignment.strategy"] = "cooperative-sticky"
        async with aio.Consumer(settings) as one, aio.Consumer(settings) as two:
            one.subscribe(["calm"])
            read = await one.poll(SECONDS, 1)
            all_of_it = one.assignment()
            two.subscribe(["calm"])
            joins = asyncio.create_task(two.poll(SECONDS))
            await until(lambda: one.of_group("a test").member.wants_poll)
            read += await one.poll(SECONDS)
            assert len(read) > 1, "nothing was given by the poll that began the rebalance"
            await until(lambda: len(one.assignment()) < PARTITIONS)  # The application works.
            done = await one.committed(all_of_it)
            assert sum(done.values()) == 1
            assert await joins, "nothing was read again"

    asyncio.run(asyncio.wait_for(main(), SECONDS))
