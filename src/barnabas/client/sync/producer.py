"""Producer for threads: appends on the caller's thread, sends on the portal's."""

import logging
import sys
import threading
import warnings
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Never, Self

from barnabas.client.aio.cluster.environment import ClientEnvironment
from barnabas.client.aio.producer.producer_core import ProducerCore
from barnabas.client.core.arguments.properties import properties
from barnabas.client.core.arguments.unsupported_calls import (
    PRODUCER,
    refuse_arguments,
    unsupported_attribute,
)
from barnabas.client.core.metrics import Metrics
from barnabas.client.sync.buffer_space import BufferSpace
from barnabas.client.sync.delivery_waits import ThreadWaits
from barnabas.client.sync.exit_flush import UnsentRecords
from barnabas.client.sync.send_calls import CallerSendCalls
from barnabas.client.sync.transactional import Transactional
from barnabas.config.clients import ProducerConfig
from barnabas.errors import KafkaError
from barnabas.kernels.batches.objects import OpenBatches
from barnabas.runtime.loops.portal import Portal

log = logging.getLogger(__name__)


class Producer(CallerSendCalls, Transactional):
    """Sends records, from any number of threads. Use it in a `with`, or `close` it.

    Properties have Kafka's names ("bootstrap.servers", "acks", "linger.ms", ...), in a mapping or
    as keywords with underscores. By default it is idempotent: no record is stored twice, and
    records of a partition keep their order over retries.

    A producer does not survive a fork (its thread stays in the parent) and cannot be pickled:
    create one in each process.
    """

    _open = False

    def __init__(self, config: Mapping[str, object] | None = None, /, **more: object) -> None:
        loaded = ProducerConfig.load(properties(config, more))
        self._portal = Portal("this Producer")
        try:
            self._connect(loaded)
        except BaseException:
            self._portal.close()
            raise
        self._open = True

    def _connect(self, loaded: ProducerConfig) -> None:
        # Nothing that the loop calls may refer to this object, so that it is collected when unused.
        environment = ClientEnvironment.real(self._portal.loop)
        self._clock = environment.clock
        self._room = BufferSpace(environment.clock)
        waits = ThreadWaits(self._portal, environment.clock)
        core = ProducerCore(loaded, environment, threading.Lock(), waits, self._room.changed)
        self._core = core
        self._line = UnsentRecords(self._portal, core)
        self._options = core.options
        self._topics = core.cluster.view.topics
        self._time_ms = environment.clock.time_ms
        self._sticky = OpenBatches(core.records.sticky, environment.clock.time_ns)
        self._by_partition = core.records.by_partition

    def __del__(self) -> None:
        if self._open and self._portal.here and not sys.is_finalizing():
            warnings.warn("a Producer was dropped without close()", ResourceWarning, stacklevel=2)
            self._portal.leave(partial(self._core.drop, "the producer was dropped without close()"))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *rest: object) -> None:
        try:
            self.close(None if kind is None else 0)
        except KafkaError as error:
            if kind is None:
                raise
            # The exception of the block must not be replaced by this one.
            log.warning("producer closed early why=%s", error)

    def metrics(self) -> Metrics:
        """Return counters so far: requests, bytes, stored records, average latency. Any thread."""
        return self._core.metrics()

    def flush(self, timeout_s: float | None = None, **foreign: Never) -> None:
        """Send everything queued and wait until all of it is stored or has failed.

        Raises:
            RequestTimeout: it takes longer than `timeout_s` seconds; sending continues.
            BrokerError: records failed whose result was never requested; the message counts them.
        """
        if foreign:
            refuse_arguments("flush", foreign)
        self._portal.call(self._core.flush(timeout_s))

    def close(self, timeout_s: float | None = None, **foreign: Never) -> None:
        """Refuse further records, flush, then close connections and thread; errors as in `flush`.

        Every record then has its outcome: those not stored in time have failed. A second call does
        nothing.
        """
        if foreign:
            refuse_arguments("close", foreign)
        if not self._open:
            return
        self._open = False
        self._core.closed = True
        self._room.changed()
        try:
            self._portal.call(self._core.close(timeout_s))
        finally:
            self._portal.close()

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Never:
            unsupported_attribute("Producer", PRODUCER, name)

    def __reduce__(self) -> Any:
        raise TypeError(
            "a Producer holds connections: create one where you use it, do not pickle it"
        )
