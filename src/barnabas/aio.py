"""The driver for asyncio: the names of `barnabas`, with calls to be awaited."""

from barnabas.client.aio.admin import Admin
from barnabas.client.aio.consumer import Consumer
from barnabas.client.aio.producer import Producer

__all__ = ["Admin", "Consumer", "Producer"]
