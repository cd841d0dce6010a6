"""ShareConsumer for threads: the calls of `client.aio.shares.share_consumer`, on the caller's thread.

A thread of its own sends heartbeats between calls.
"""

from collections.abc import Iterable, Iterator, Mapping
from types import TracebackType
from typing import Any

from barnabas.client.aio.shares.share_consumer import AsyncShareConsumer
from barnabas.client.closing import Closing
from barnabas.client.core.arguments.properties import properties
from barnabas.client.core.metrics import Metrics
from barnabas.client.core.shares.acknowledgements import AcknowledgeType
from barnabas.client.sync.caller_client import CallerClient
from barnabas.errors import KafkaError
from barnabas.records.columns.record import Record
from barnabas.types import TopicPartition

_BEAT_S = 0.5
"""How often the thread between calls looks whether a heartbeat is due."""


class ShareConsumer(Closing):
    """Takes records of topics together with the other members of a share group (KIP-932).

    Use it in a `with`, or `close` it; use it from one thread at a time. Unlike in a consumer group,
    several members read the same partition: each record goes to one of them, until it is accepted.
    With share.acknowledgement.mode=implicit, the default, the next `poll` or `commit` accepts the
    records of the last poll; `acknowledge` one earlier to release or reject it.
    """

    def __init__(self, config: Mapping[str, object] | None = None, /, **more: object) -> None:
        given = properties(config, more)
        self._hosted = CallerClient(
            "ShareConsumer",
            lambda environment: AsyncShareConsumer(given, environment=environment),
            AsyncShareConsumer.drop,
        )
        self._consumer = self._hosted.client

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is not None and not self._hosted.closed:
            self.release_rest()
        self.close()

    def close(self, timeout_s: float | None = None) -> None:
        """Send acknowledgements, release the rest, leave the group, close the connections.

        With implicit acknowledgement it accepts the records of the last poll. Waits for brokers up to
        `timeout_s` seconds (None: default.api.timeout.ms). A second call does nothing.
        """
        self._hosted.close(lambda: self._consumer.close(timeout_s))

    def wakeup(self) -> None:
        """Interrupt the current call, or the next one, with `WakeupError`; from any thread."""
        self._hosted.wake()

    def subscribe(self, topics: Iterable[str]) -> None:
        """Join the group, and read these topics, instead of those before; polls join."""
        with self._hosted.undisturbed:
            self._consumer.subscribe(topics)
        self._hosted.keep(self._consumer.member.quiet, _BEAT_S)

    def subscription(self) -> list[str]:
        """Return the subscribed topics, sorted."""
        with self._hosted.undisturbed:
            return self._consumer.subscription()

    def poll(self, timeout_s: float | None = None) -> list[Record]:
        """Return records that were acquired for this member, as soon as there are any.

        The result is empty after `timeout_s` seconds (None: wait forever). With implicit
        acknowledgement it accepts the records of the last poll first.

        Raises:
            LocalProtocolError: nothing is subscribed, or with explicit acknowledgement a record of
                the last poll is not acknowledged.
            BrokerError: reading cannot continue.
            CorruptRecord: a batch is damaged; its records are released.
        """
        try:
            return self._hosted.run(self._consumer.poll(timeout_s))
        except BaseException:
            # A signal's handler may have raised after records came: nobody has received them.
            if self._consumer.has_polled and not self._hosted.closed:
                with self._hosted.undisturbed:
                    self._consumer.release_rest()
            raise

    def __iter__(self) -> Iterator[Record]:
        """Yield all records from here on, forever; errors as in `poll`.

        After a `break` the next poll returns the records that were not yielded.
        """
        while True:
            record = self._next_unread()
            if record is not None:
                yield record
                continue
            records = self.poll()
            with self._hosted.undisturbed:
                self._consumer.hold(records)

    def _next_unread(self) -> Record | None:
        with self._hosted.undisturbed:
            return self._consumer.next_unread()

    def acknowledge(self, record: Record, kind: AcknowledgeType = AcknowledgeType.ACCEPT) -> None:
        """Say what becomes of a record of the last poll; the next poll or `commit` sends that.

        Raises:
            LocalProtocolError: it is not from the last poll, or already acknowledged.
        """
        with self._hosted.undisturbed:
            self._consumer.acknowledge(record, kind)

    def delivery_count(self, record: Record) -> int:
        """How often a record of the last poll has been delivered, this time included.

        Raises:
            LocalProtocolError: it is not from the last poll, or already acknowledged.
        """
        with self._hosted.undisturbed:
            return self._consumer.delivery_count(record)

    def release_rest(self) -> None:
        """Release the records of the last poll without an acknowledgement: they are delivered again."""
        with self._hosted.undisturbed:
            self._consumer.release_rest()

    def commit(self, timeout_s: float | None = None) -> dict[TopicPartition, KafkaError | None]:
        """Send all acknowledgements; return the outcome of each partition, None for success.

        With implicit acknowledgement it accepts the records of the last poll. Errors of
        acknowledgements that polls have sent are reported, too. Records whose acknowledgement failed
        are delivered again.

        Raises:
            RequestTimeout: brokers did not respond within `timeout_s` seconds (None:
                default.api.timeout.ms).
        """
        return self._hosted.run(self._consumer.commit(timeout_s))

    def metrics(self) -> Metrics:
        """Return counters so far: requests, bytes, returned records, average latency. Any thread."""
        return self._consumer.metrics()

    def __reduce__(self) -> Any:
        raise TypeError("a ShareConsumer holds connections: create one where you use it")
