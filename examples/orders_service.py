"""A web service that writes orders to a topic, and answers with totals that it reads from there.

    barnabas serve
    pip install fastapi uvicorn
    uvicorn --app-dir examples orders_service:service
    curl -X POST localhost:8000/orders -H 'content-type: application/json' \\
        -d '{"customer": "ada", "cents": 1250}'
    curl localhost:8000/totals

The topic is the truth, the totals are a view of it: a service that starts reads the topic from its
beginning. An order is answered when the brokers have it, with its partition and offset.
"""

import asyncio
import json
import os
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from fastapi import FastAPI, HTTPException, Request
from pydantic import BaseModel, PositiveInt

from barnabas import BrokerError, ErrorCode, KafkaError, NewTopic
from barnabas.aio import Admin, Consumer, Producer

SERVERS = os.environ.get("BARNABAS_BOOTSTRAP_SERVERS", "localhost:9092")
TOPIC = "orders"


class Order(BaseModel):
    """What a customer pays, in cents."""

    customer: str
    cents: PositiveInt


async def create_topic() -> None:
    """Create the topic, unless another service has."""
    async with Admin(bootstrap_servers=SERVERS) as admin:
        try:
            await admin.create_topics([NewTopic(TOPIC, partitions=3)])
        except BrokerError as error:
            if error.code is not ErrorCode.TOPIC_ALREADY_EXISTS:
                raise


async def keep_totals(consumer: Consumer, totals: Counter[str]) -> None:
    """Add up all orders, those of other services too, until it is cancelled."""
    consumer.assign(await consumer.partitions_for(TOPIC))
    consumer.seek_to_beginning()
    while True:
        for record in await consumer.poll(timeout_s=1):
            order = json.loads(record.value or b"{}")
            totals[order["customer"]] += order["cents"]


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    """One producer and one reader for the life of the service; at the end all orders are sent."""
    await create_topic()
    app.state.totals = Counter()
    async with (
        Producer(bootstrap_servers=SERVERS) as app.state.producer,
        Consumer(bootstrap_servers=SERVERS) as consumer,
    ):
        reading = asyncio.create_task(keep_totals(consumer, app.state.totals))
        yield
        reading.cancel()
        with suppress(asyncio.CancelledError):
            await reading


service = FastAPI(lifespan=lifespan)


@service.post("/orders", status_code=201)
async def take_order(order: Order, request: Request) -> dict[str, int]:
    producer: Producer = request.app.state.producer
    try:
        stored = await (await producer.send(TOPIC, order.model_dump_json(), key=order.customer))
    except KafkaError as error:
        raise HTTPException(503, f"not taken: {error}") from error
    return {"partition": stored.partition, "offset": stored.offset}


@service.get("/totals")
async def tell_totals(request: Request) -> dict[str, int]:
    return dict(request.app.state.totals)
