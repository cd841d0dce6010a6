"""Transactions over connections that break all the time: what was committed counts, once, in order."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from random import Random

import pyarrow as pa
import pytest

from barnabas import Consumer, GroupMetadata, KafkaError, TopicPartition, aio
from barnabas.client.aio.cluster.environment import ClientEnvironment
from barnabas.testing.embedded_broker import EmbeddedBroker
from tests.client.cut_network import CutNetwork

PARTITIONS = 2
TRANSACTIONS = 20
PROBABILITY = 0.06
QUICK = {"retry_backoff_ms": 1, "reconnect_backoff_ms": 1, "reconnect_backoff_max_ms": 5}

Written = dict[TopicPartition, list[bytes]]


@pytest.fixture(scope="module", params=["2.8", None], ids=str)
def broker(request: pytest.FixtureRequest) -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker({"num.partitions": str(PARTITIONS)}, profile=request.param) as running:
        yield running


async def again(call: Callable[[], Awaitable[None]]) -> None:
    """Until it is done."""
    while True:
        try:
            await call()
            break
        except KafkaError as error:
            if not error.retriable:
                raise


async def one_transaction(
    producer: aio.Producer, topic: str, values: Iterator[bytes], chance: Random
) -> Written:
    """Records one by one, among them perhaps a table."""
    written: Written = {TopicPartition(topic, each): [] for each in range(PARTITIONS)}
    for _ in range(chance.randrange(1, 6)):
        where = TopicPartition(topic, chance.randrange(PARTITIONS))
        rows = [next(values) for _ in range(chance.choice((1, 1, 10)))]
        if len(rows) > 1:
            await producer.send_arrow(topic, pa.table({"value": rows}), partition=where.partition)
        else:
            _ = await producer.send(topic, rows[0], partition=where.partition)
        written[where] += rows
    return written


async def write(servers: str, topic: str, chance: Random) -> tuple[Written, int, int]:
    """Transactions that end one way or the other; what counts, the offset too, and all cuts."""
    here = ClientEnvironment.here("Producer")
    network = CutNetwork(here.network, chance, PROBABILITY)
    counts: Written = {TopicPartition(topic, each): [] for each in range(PARTITIONS)}
    saved = -1
    values = (b"%d" % number for number in range(1_000_000))
    producer = aio.Producer(
        {"bootstrap.servers": servers, "transactional.id": topic},
        environment=replace(here, network=network),
        **QUICK,
    )
    async with producer:
        await again(producer.init_transactions)
        for number in range(TRANSACTIONS):
            await producer.begin_transaction()
            written = await one_transaction(producer, topic, values, chance)
            offset = chance.choice((saved, number))
            if offset >= 0:
                offsets = {(topic, 0): offset}
                await producer.send_offsets_to_transaction(offsets, GroupMetadata(topic))
            if chance.random() < 0.3:
                await again(producer.abort_transaction)
            else:
                await again(producer.commit_transaction)
                saved = offset
                for where, rows in written.items():
                    counts[where] += rows
    return counts, saved, network.cuts


def committed(servers: str, topic: str, wanted: Written) -> tuple[Written, int]:
    """What a reader of committed records finds, and the offset of its group."""
    found: Written = {where: [] for where in wanted}
    readers = {"bootstrap.servers": servers, "group.id": topic, "enable.auto.commit": False}
    with Consumer(readers, isolation_level="read_committed") as consumer:
        consumer.assign(wanted)
        (saved,) = consumer.committed([(topic, 0)]).values()
        consumer.seek_to_beginning()
        ends = consumer.end_offsets(wanted)
        while any(consumer.position(where) < end for where, end in ends.items()):
            for record in consumer.poll(0.05):
                assert record.value is not None
                found[TopicPartition(record.topic, record.partition)].append(record.value)
    return found, saved


@pytest.mark.parametrize("seed", range(3))
def test_what_was_committed_counts_once_and_in_order(broker: EmbeddedBroker, seed: int) -> None:
    servers, topic = broker.bootstrap_servers, f"cut-{seed}"
    counts, saved, cuts = asyncio.run(write(servers, topic, Random(seed)))
    assert cuts
    assert committed(servers, topic, counts) == (counts, saved)
