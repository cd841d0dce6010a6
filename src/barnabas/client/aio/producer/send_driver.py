"""Sends the sender's requests to brokers, and passes responses back. Decides nothing.

Call everything but `poke` and `look_again` on the loop's thread.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import Any, Final

from barnabas.client.aio.cluster.cluster import Cluster
from barnabas.client.aio.cluster.link import Link
from barnabas.client.core.producer.producer_options import ProducerOptions
from barnabas.client.core.producer.send_plan import ProduceBatches, SendPlan
from barnabas.client.core.producer.sender import Sender
from barnabas.client.core.producer.transaction_requests import PRODUCE_EXPLICIT_AT_MOST
from barnabas.errors import BrokerError, ErrorCode, FatalError, KafkaError
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.init_producer_id import InitProducerIdRequest, InitProducerIdResponse
from barnabas.protocol.produce import ProduceResponse

log = logging.getLogger(__name__)

_WITHOUT_TOPIC_IDS: Final = 12


class SendDriver:
    """The I/O side of a producer. `on_progress` is called when space or metadata may be available.

    `add_partitions`, if set, is called when partitions must join a transaction.
    """

    def __init__(
        self,
        cluster: Cluster,
        sender: Sender,
        options: ProducerOptions,
        on_progress: Callable[[], None],
    ) -> None:
        self.fatal: KafkaError | None = None
        self.add_partitions: Callable[[], None] | None = None
        self._cluster = cluster
        self._sender = sender
        self._options = options
        self._on_progress = on_progress
        self._loop = cluster.environment.loop
        self._timer: asyncio.TimerHandle | None = None
        self._scheduled = False
        self._poked = False
        self._stopped = False
        self._identifying: asyncio.Task[None] | None = None
        self._links: dict[int, Link] = {}
        cluster.on_change.append(self._changed)

    def poke(self) -> None:
        """There is something to send; from any thread."""
        if not self._poked:
            self._poked = True
            self._loop.call_soon_threadsafe(self._step)

    def look_again(self) -> None:
        """Plan again after the callbacks of the current event; on the loop's thread."""
        if not self._scheduled:
            self._scheduled = True
            self._loop.call_soon(self._step)

    def close(self) -> None:
        """Stop, and close the connections. Later responses are not passed to the sender."""
        self._stopped = True
        if self._timer is not None:
            self._timer.cancel()
        if self._identifying is not None:
            self._identifying.cancel()
        self._cluster.on_change.remove(self._changed)
        self._cluster.close()
        self._on_progress()

    def _changed(self) -> None:
        self._on_progress()
        self.look_again()

    def _step(self) -> None:
        self._scheduled = self._poked = False
        if not self._stopped:
            self._guarded(self._advance)

    def _guarded(self, do: Callable[..., None], *arguments: object) -> None:
        """After an internal error, the state of requests is unknown: fail all records without an outcome."""
        try:
            do(*arguments)
        except Exception as error:  # the one place that owns all requests in flight
            log.exception("producer failed after an internal error")
            self._stopped = True
            self.fatal = FatalError(f"the producer failed: {type(error).__name__}: {error}")
            self._sender.outcomes.abandon(self.fatal)
            self._on_progress()

    def _advance(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        now = self._loop.time()
        plan = self._collect(now)
        while plan.outgoing:
            for outgoing in plan.outgoing:
                self._send(outgoing)
            # A request has one batch per partition; send what else may be in flight in further
            # requests.
            plan = self._collect(now)
        transactions = self._sender.transactions
        if transactions is not None:
            if transactions.wanted and self.add_partitions is not None:
                self.add_partitions()
            if not transactions.sends:
                self._on_progress()  # Expired records have freed space.
        elif self._sender.needs_producer_id and self._identifying is None and self.fatal is None:
            self._identifying = self._loop.create_task(self._identify())
        if plan.leaders_wanted:
            self._cluster.metadata.refresh()
        if plan.wake_at is not None:
            self._timer = self._loop.call_at(max(plan.wake_at, now + 0.0005), self.look_again)

    def _collect(self, now: float) -> SendPlan:
        plan = self._sender.collect(now, self._reachable)
        for batch in plan.to_build:
            building = self._loop.run_in_executor(None, self._sender.build, batch)
            building.add_done_callback(self._built)
        return plan

    def _built(self, building: "asyncio.Future[None]") -> None:
        if not self._stopped:
            self._guarded(building.result)
            self.look_again()

    def _reachable(self, node_id: int) -> bool:
        link = self._cluster.link(node_id)
        if link is not None:
            if self._links.get(node_id) is not link:
                self._links[node_id] = link
                self._sender.reconnected(node_id)
            return True
        wait = self._cluster.links.reconnect_wait(node_id)
        if wait > 0:
            self._loop.call_later(wait, self.look_again)
        return False

    def _send(self, outgoing: ProduceBatches) -> None:
        link = self._cluster.link(outgoing.node_id)
        try:
            if link is None:
                raise BrokerError(ErrorCode.NETWORK_EXCEPTION, "the connection was just lost")
            top = self._newest(outgoing)
            version = link.protocol.version_of(ApiKey.PRODUCE, at_most=top)
            request = self._sender.request(outgoing, version, self._loop.time())
            link.send(
                ApiKey.PRODUCE,
                request,
                _Answered(self, outgoing),
                version=version,
                answered=self._options.acks != 0,
            )
        except KafkaError as error:
            self._sender.unsent(outgoing, error, self._loop.time())
            self._go_on(stale=error.code.stale_metadata)

    def _newest(self, outgoing: ProduceBatches) -> int | None:
        """The maximum version of Produce."""
        transactions = self._sender.transactions
        if transactions is not None and not transactions.implicit:
            return PRODUCE_EXPLICIT_AT_MOST
        topics = {batch.where.topic for batch in outgoing.batches}
        known = all(any(self._cluster.view.topics[name].topic_id) for name in topics)
        return None if known else _WITHOUT_TOPIC_IDS

    def _answered(self, outgoing: ProduceBatches, answer: Any) -> None:
        if not self._stopped:
            self._guarded(self._take, outgoing, answer)

    def _take(self, outgoing: ProduceBatches, answer: Any) -> None:
        """Handle a response, or the error instead; None: it was sent without acks."""
        now, stale = self._loop.time(), False
        if answer is None:
            self._sender.sent_unanswered(outgoing)
        elif isinstance(answer, KafkaError):
            self._sender.failed(outgoing, answer, now)
            stale = answer.code.stale_metadata
        else:
            assert isinstance(answer, ProduceResponse)
            stale = self._sender.answered(outgoing, answer, now)
        self._go_on(stale=stale)

    def _go_on(self, *, stale: bool) -> None:
        if stale:
            self._cluster.metadata.refresh()
        self._on_progress()
        self.look_again()

    async def _identify(self) -> None:
        """Get a producer id; retry while the error is temporary."""
        failures = 0
        request = InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=2**31 - 1)
        while self._sender.needs_producer_id:
            try:
                answer = await self._cluster.ask(request)
                assert isinstance(answer, InitProducerIdResponse)
                if answer.error_code:
                    raise BrokerError(answer.error_code, "getting a producer id")
                self._sender.producer_epoch = answer.producer_epoch
                self._sender.producer_id = answer.producer_id
            except KafkaError as error:
                if not error.retriable:
                    if error.code is ErrorCode.UNSUPPORTED_VERSION:
                        what = f"{error.why}; enable.idempotence=false needs none of it"
                        error = BrokerError(error.code, what)
                    self.fatal = error
                    log.exception("no producer id available; enable.idempotence=false needs none")
                    self._sender.outcomes.give_up(error)
                    break
                failures += 1
                await asyncio.sleep(self._cluster.retry_wait(failures))
        self._identifying = None
        self._on_progress()
        self.look_again()


class _Answered:
    """The callback of one request; cheaper than a closure, and readable in a traceback."""

    __slots__ = ("_outgoing", "_send_driver")

    def __init__(self, send_driver: SendDriver, outgoing: ProduceBatches) -> None:
        self._send_driver = send_driver
        self._outgoing = outgoing

    def __call__(self, answer: Any) -> None:
        self._send_driver._answered(self._outgoing, answer)  # noqa: SLF001  (its other half)
