"""Producers that outlive a task: connecting for each micro-batch would cost more than the batch.

One for each configuration and process. Spark runs one task at a time in a worker process.
"""

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

from barnabas.client.sync.producer import Producer
from barnabas.errors import KafkaError

KEPT = 4
"""How many configurations are kept open; the least recently used goes first."""

DEFAULTS = {
    # Whole Arrow batches are sent at once: small batches would only mean more of them.
    "batch.size": "524288",
    "linger.ms": "0",
    "client.id": "spark-barnabas-sink",
}

_kept: OrderedDict[tuple[tuple[str, str], ...], Producer] = OrderedDict()


@contextmanager
def kept_producer(properties: Mapping[str, str]) -> Iterator[Producer]:
    """A producer with these properties, made or kept from an earlier task.

    After an error inside the `with` the producer is closed, so that what it still held of a failed
    task does not come up in the next one.
    """
    config = DEFAULTS | dict(properties)
    key = tuple(sorted(config.items()))
    producer = _kept.pop(key, None) or Producer(config)
    try:
        yield producer
    except BaseException:
        # What went wrong is on its way up; that the rest could not be sent either adds nothing.
        with suppress(KafkaError):
            producer.close(0)
        raise
    _kept[key] = producer
    while len(_kept) > KEPT:
        _kept.popitem(last=False)[1].close()
