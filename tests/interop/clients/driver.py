"""Our driver in both its forms behind the same plain calls, so that a test is written once."""

import asyncio
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

import barnabas
import barnabas.aio
from barnabas.records.columns.record import Record
from tests.interop.clients.client import READ_SECONDS, ReadTooFew
from tests.interop.samples import Sample

FORMS = ("sync", "aio")


class Awaited:
    """An object of `barnabas.aio`, made, called and awaited on an event loop of its own."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._runner = asyncio.Runner()
        self._inner = self._call(make)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._inner, name)
        return lambda *given, **named: self._call(lambda: method(*given, **named))

    def wait(self, handle: Any) -> Any:
        """What a handle (a Delivery) comes to, awaited."""
        return self._call(lambda: handle)

    def end(self) -> None:
        """Close it and its loop."""
        self._call(self._inner.close)
        self._runner.close()

    def _call(self, work: Callable[[], Any]) -> Any:
        async def inside() -> Any:
            result = work()
            return await result if inspect.isawaitable(result) else result

        return self._runner.run(inside())


class Driver:
    """`barnabas` ("sync") or `barnabas.aio` ("aio"), bound to one broker."""

    def __init__(self, form: str, address: str) -> None:
        self.form = form
        self.address = address

    @contextmanager
    def consumer(self, **settings: object) -> Iterator[Any]:
        """A Consumer from the beginning on, unless `settings` (underscores) say otherwise."""
        given: dict[str, Any] = {
            "auto_offset_reset": "earliest",
            **settings,
            "bootstrap_servers": self.address,
        }
        if self.form == "sync":
            with barnabas.Consumer(**given) as consumer:
                yield consumer
        else:
            awaited = Awaited(lambda: barnabas.aio.Consumer(**given))
            try:
                yield awaited
            finally:
                awaited.end()

    @contextmanager
    def producer(self, **settings: object) -> Iterator[Any]:
        """A Producer."""
        given: dict[str, Any] = {**settings, "bootstrap_servers": self.address}
        if self.form == "sync":
            with barnabas.Producer(**given) as producer:
                yield producer
        else:
            awaited = Awaited(lambda: barnabas.aio.Producer(**given))
            try:
                yield awaited
            finally:
                awaited.end()

    def result(self, producer: Any, delivery: Any) -> Any:
        """Where a record was stored."""
        return producer.wait(delivery) if self.form == "aio" else delivery.result(READ_SECONDS)


def poll(consumer: Any, count: int) -> list[Record]:
    """`count` records or a few more, by poll.

    Raises:
        ReadTooFew: nothing came for READ_SECONDS.
    """
    found: list[Record] = []
    while len(found) < count:
        records = consumer.poll(READ_SECONDS)
        if not records:
            raise ReadTooFew(f"{len(found)} of {count} records")
        found += records
    return found


def fetch(consumer: Any, count: int) -> pa.Table:
    """`count` records or a few more, by fetch_arrow. Errors as `poll`."""
    parts: list[pa.Table] = []
    while (have := sum(map(len, parts))) < count:
        table = consumer.fetch_arrow(READ_SECONDS)
        if not len(table):
            raise ReadTooFew(f"{have} of {count} records")
        parts.append(table)
    return pa.concat_tables(parts)


def sample_of(record: Record) -> Sample:
    """A record as what was sent."""
    return Sample(record.key, record.value, record.timestamp, tuple(record.headers))


def table_of(sent: list[Sample]) -> pa.Table:
    """Samples as the table that send_arrow takes; timestamps are in milliseconds."""
    pair = pa.struct([("key", pa.string()), ("value", pa.binary())])
    return pa.table(
        {
            "key": pa.array([each.key for each in sent], pa.binary()),
            "value": pa.array([each.value for each in sent], pa.binary()),
            "timestamp": pa.array([each.timestamp for each in sent], pa.timestamp("ms", "UTC")),
            "headers": pa.array(
                [
                    [{"key": name, "value": value} for name, value in each.headers]
                    for each in sent
                ],
                pa.list_(pair),
            ),
        }
    )  # fmt: skip
