"""Waits until everything sent so far has its outcome. For both kinds of producer; on the loop."""

import asyncio

from barnabas.client.aio.courier import Courier
from barnabas.client.aio.wake import Wake
from barnabas.client.core.accumulator import Accumulator
from barnabas.client.core.producer_batch import ProducerBatch
from barnabas.client.core.sending import Sender
from barnabas.errors import LocalProtocolError, RequestTimeout


async def flush(
    records: Accumulator, sender: Sender, courier: Courier, timeout_s: float | None
) -> None:
    """Have everything sent that is there now and wait for it.

    Raises:
        RequestTimeout: that took longer than `timeout_s` seconds; sending goes on.
        BrokerError: records were given up that nobody was told of yet.
    """
    sender.flush_begins()
    courier.look_again()
    try:
        with records.lock:
            left = list(records.unsettled)
        async with asyncio.timeout(timeout_s):
            for batch in left:
                await settled(batch)
    except TimeoutError:
        count = sum(not batch.settled for batch in left)
        what = f"flush: {count} batches are still on their way after {timeout_s} s"
        raise RequestTimeout(what) from None
    finally:
        sender.flush_ends()
    sender.raise_failures()


async def close(
    records: Accumulator, sender: Sender, courier: Courier, timeout_s: float | None
) -> None:
    """Take no more records, flush, then stop. What is not stored in time fails.

    Raises:
        KafkaError: as `flush`.
    """
    sender.closing = True
    records.shut(LocalProtocolError("the producer is closed"))
    try:
        await flush(records, sender, courier, timeout_s)
    finally:
        courier.close()
        sender.abandon(LocalProtocolError("the producer was closed before this was known stored"))


async def settled(batch: ProducerBatch) -> None:
    """Return when all records of a batch have an outcome."""
    loop = asyncio.get_running_loop()
    while (part := batch.unsettled_part()) is not None:
        future: asyncio.Future[None] = loop.create_future()
        part.when_settled(Wake(future))
        await future
