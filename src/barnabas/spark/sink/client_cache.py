"""Clients that are reused across tasks: connecting for each micro-batch would cost more than the batch.

There is one for each configuration and process. Spark runs one task at a time in a worker process.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Generic, TypeVar

from barnabas.client.sync.admin import Admin
from barnabas.client.sync.producer import Producer
from barnabas.config.clients import AdminConfig
from barnabas.errors import KafkaError
from barnabas.spark.options.option_values import TASK_REFUSED_MS
from barnabas.spark.options.write_options import PRODUCER_DEFAULTS

KEPT = 8
"""How many clients are kept; the least recently used one is closed first."""

_Client = TypeVar("_Client", Admin, Producer)


class _Kept(Generic[_Client]):
    """The idle clients of one kind in this process, by their configuration."""

    def __init__(self, connect: Callable[[Mapping[str, str]], _Client]) -> None:
        self._connect: Callable[[Mapping[str, str]], _Client] = connect
        self._open: OrderedDict[tuple[tuple[str, str], ...], _Client] = OrderedDict()

    def take(self, config: Mapping[str, str]) -> _Client:
        """Return a client with this configuration; it is not shared until it is given back."""
        return self._open.pop(_key(config), None) or self._connect(config)

    def give_back(self, config: Mapping[str, str], client: _Client) -> None:
        """Keep a client for the next task, in place of the least recently used one."""
        self._open[_key(config)] = client
        while len(self._open) > KEPT:
            self._open.popitem(last=False)[1].close()

    def close(self) -> None:
        """Close all of them."""
        while self._open:
            self._open.popitem()[1].close()


def _key(config: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(config.items()))


_producers: _Kept[Producer] = _Kept(Producer)
_admins: _Kept[Admin] = _Kept(Admin)


@contextmanager
def kept_producer(properties: Mapping[str, str]) -> Iterator[Producer]:
    """A producer with these properties, new or from an earlier task.

    After an error inside the `with` it is closed, so that the next task does not send records of the failed
    one.
    """
    config = PRODUCER_DEFAULTS | dict(properties)
    producer = _producers.take(config)
    try:
        yield producer
    except BaseException:
        # The first error is being raised; that other records could not be sent either adds nothing.
        with suppress(KafkaError):
            producer.close(0)
        raise
    _producers.give_back(config, producer)


@contextmanager
def kept_admin(properties: Mapping[str, str]) -> Iterator[Admin]:
    """An admin client with those of the properties that it has; kept even after an error."""
    config = {name: value for name, value in properties.items() if AdminConfig.find(name)}
    config = {"bootstrap.refused.timeout.ms": TASK_REFUSED_MS} | config
    admin = _admins.take(config)
    try:
        yield admin
    finally:
        _admins.give_back(config, admin)


def close_kept() -> None:
    """Close all kept clients, in a process that outlives its brokers."""
    _producers.close()
    _admins.close()
