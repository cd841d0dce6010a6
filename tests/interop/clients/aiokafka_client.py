"""aiokafka: the asyncio client with the lowest message versions of the three."""

import asyncio
import time
from collections.abc import Sequence

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition

from tests.interop.clients.client import READ_SECONDS, ReadTooFew
from tests.interop.samples import Sample


class Aiokafka:
    """Each call runs its own event loop."""

    name = "aiokafka"

    def write(
        self,
        address: str,
        topic: str,
        samples: Sequence[Sample],
        *,
        codec: str = "none",
        idempotent: bool = False,
    ) -> list[int]:
        """See Client.write."""
        return asyncio.run(_write(address, topic, samples, codec, idempotent=idempotent))

    def read(self, address: str, topic: str, count: int, *, start: int = 0) -> list[Sample]:
        """See Client.read."""
        return asyncio.run(_read(address, topic, count, start))

    def ends(self, address: str, topic: str) -> tuple[int, int]:
        """See Finder.ends."""
        return asyncio.run(_ends(address, TopicPartition(topic, 0)))

    def at_time(self, address: str, topic: str, time_ms: int) -> int:
        """See Finder.at_time."""
        return asyncio.run(_at_time(address, TopicPartition(topic, 0), time_ms))


async def _write(
    address: str, topic: str, samples: Sequence[Sample], codec: str, *, idempotent: bool
) -> list[int]:
    producer = AIOKafkaProducer(
        bootstrap_servers=address,
        compression_type=None if codec == "none" else codec,
        enable_idempotence=idempotent,
        acks="all",
        linger_ms=20,
        max_request_size=8_000_000,
    )
    await producer.start()
    try:
        pending = [
            await producer.send(
                topic,
                value=sample.value,
                key=sample.key,
                partition=0,
                timestamp_ms=sample.timestamp,
                headers=list(sample.headers),
            )
            for sample in samples
        ]
        return [(await each).offset for each in pending]
    finally:
        await producer.stop()


async def _read(address: str, topic: str, count: int, start: int) -> list[Sample]:
    consumer = AIOKafkaConsumer(
        bootstrap_servers=address,
        enable_auto_commit=False,
        max_partition_fetch_bytes=4_000_000,
        check_crcs=True,
    )
    partition = TopicPartition(topic, 0)
    await consumer.start()
    try:
        consumer.assign([partition])
        consumer.seek(partition, start)
        deadline = time.monotonic() + READ_SECONDS
        taken: list[Sample] = []
        while len(taken) < count:
            fetched = await consumer.getmany(partition, timeout_ms=500)
            for record in fetched.get(partition, ()):
                taken.append(  # noqa: PERF401 - the loop above ends in the middle of an answer
                    Sample(record.key, record.value, record.timestamp, tuple(record.headers))
                )
            if time.monotonic() > deadline:
                raise ReadTooFew(f"{len(taken)} of {count} records")
        return taken[:count]
    finally:
        await consumer.stop()


async def _ends(address: str, partition: TopicPartition) -> tuple[int, int]:
    async with AIOKafkaConsumer(bootstrap_servers=address) as consumer:
        first = await consumer.beginning_offsets([partition])
        following = await consumer.end_offsets([partition])
        return first[partition], following[partition]


async def _at_time(address: str, partition: TopicPartition, time_ms: int) -> int:
    async with AIOKafkaConsumer(bootstrap_servers=address) as consumer:
        found = await consumer.offsets_for_times({partition: time_ms})
        return int(found[partition].offset)
