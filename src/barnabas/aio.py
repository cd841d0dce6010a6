"""The driver for asyncio: the names of `barnabas`, with awaitable calls."""

from barnabas.client.aio.admin.admin import Admin
from barnabas.client.aio.consumer.consumer import Consumer
from barnabas.client.aio.producer.producer import Producer
from barnabas.client.aio.shares.share_consumer import AsyncShareConsumer as ShareConsumer

__all__ = ["Admin", "Consumer", "Producer", "ShareConsumer"]
