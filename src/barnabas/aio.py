"""The driver for asyncio: the names of `barnabas`, with calls to be awaited."""

from barnabas.client.aio.admin.admin import Admin
from barnabas.client.aio.consumer.consumer import Consumer
from barnabas.client.aio.producer.producer import Producer

__all__ = ["Admin", "Consumer", "Producer"]
