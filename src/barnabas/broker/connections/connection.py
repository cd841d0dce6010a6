"""ClientConnection: reads one client's frames as requests, and handles them."""

import logging
from collections.abc import Callable
from functools import partial

from barnabas.broker.broker import Broker
from barnabas.broker.connections.listener_dialects import ListenerDialect
from barnabas.broker.connections.metering import RequestCost
from barnabas.broker.connections.ordered_replies import OrderedReplies
from barnabas.broker.connections.repeated_requests import RepeatedRequests
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.pending import Repeatable
from barnabas.broker.purgatory.slow_requests import may_be_slow
from barnabas.broker.replicas.slow_rolls import may_append_slowly
from barnabas.dialects.dialect import Request, RequestIgnored
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.produce import ProduceRequest
from barnabas.runtime.connections.connection import Connection

log = logging.getLogger(__name__)

_PRODUCE = int(ApiKey.PRODUCE)
_LONG_BYTES = 64 << 10
KEPT_OF_CLIENT_ID = 255
"""How many characters of a client id stay with its connection; a client may send 32,767."""


class ClientConnection:
    """Serves the frames of one connection: those that repeat earlier ones, and all others.

    While slow requests of many clients wait, each has its turn (`slow_requests`); large requests wait
    for each other (`admission`). The replies are those of `OrderedReplies`.
    """

    __slots__ = (
        "_admitted", "_broker", "_contexts", "_dialect", "_handlers", "_has_turn", "_known", "_on_gone",
        "_place", "_replies", "connection", "last_key", "number", "peer_host",
    )  # fmt: skip

    def __init__(
        self,
        broker: Broker,
        spoken: ListenerDialect,
        connection: Connection,
        *,
        listener: str,
        number: int,
        on_gone: Callable[["ClientConnection"], None],
    ) -> None:
        self._broker = broker
        self._dialect, self._handlers = spoken
        self.connection = connection
        self._contexts: dict[int, RequestContext] = {}
        """The newest of each API, by its key."""
        self.number = number
        self._on_gone = on_gone
        self._admitted = False
        self._has_turn = False
        """Whether this turn's slow request is the frame that comes next."""
        self.last_key = -1
        """The API of the last request that was read; those that repeat earlier ones are not."""
        self._replies = OrderedReplies(broker, self._dialect, connection)
        self._known: RepeatedRequests | None = None
        """The requests that may come again; None: there was none such."""
        self.peer_host = connection.peer.rpartition(":")[0]
        self._place = listener, connection.peer, number, "/" + self.peer_host.strip("[]")

    @property
    def dialect(self) -> str:
        """The name of the protocol that the client speaks."""
        return self._dialect.name

    @property
    def last_version(self) -> int:
        """The version of the last request."""
        context = self._contexts.get(self.last_key)
        return -1 if context is None else context.api_version

    def take_known(self, received: memoryview, start: int, end: int) -> int:
        """Answer the frames from `start` on that repeat earlier ones; returns where they end.

        None while quotas are in force, as each request is measured, or while slow requests crowd.
        """
        known = self._known
        broker = self._broker
        is_special = broker.quotas.in_force or broker.slow_requests.crowded
        if known is None or is_special or self.connection.broken is not None:
            return start
        replies = self._replies
        if replies.is_replicating:
            # Responses to what came before in this turn wait: only records go on, and theirs are behind.
            taken, responses, replicating = known.take(received, start, end, only_records=True)
            assert isinstance(responses, bytes)
            if responses:
                replies.take_known(responses)
        else:
            taken, responses, replicating = known.take(received, start, end)
            if callable(responses):
                self.connection.pause()
                broker.turn.when_over(partial(self._on_known_written, responses))
            elif responses:
                self.connection.send(responses)
                self.connection.listen_late(late=known.learning.is_patient)
        if replicating:
            replies.take_known(*replicating)
        if replies.has_new and taken == end:
            replies.on_event_end()
        return taken

    def _on_known_written(self, responses: Callable[[], bytes]) -> None:
        self.connection.guarded(self._send_known, responses)
        self.connection.resume()

    def _send_known(self, responses: Callable[[], bytes]) -> None:
        self.connection.send(responses())

    def _learn(self, frame: memoryview, request: Request, outcome: object) -> object:
        """Keep a request that may come again; returns the outcome itself."""
        if not isinstance(outcome, Repeatable):
            self.connection.listen_late(late=False)
            return outcome
        known = self._known = self._known or self._new_known()
        known.learning.learn(frame, request, outcome)
        return outcome.outcome

    def _new_known(self) -> RepeatedRequests:
        return RepeatedRequests(self._broker, self._dialect)

    def on_frame(self, frame: memoryview) -> bool:
        """Handle one request; False if the next one has to wait."""
        broker, replies = self._broker, self._replies
        began = broker.clock.monotonic() if broker.quotas.in_force else None
        replies.others += 1
        try:
            request = self._dialect.read_request(frame)
        except RequestIgnored as reason:
            log.info("request left unanswered: %s", reason, extra={"peer": self.connection.peer})
            return True
        key, version, client_id = request.api_key, request.api_version, request.client_id
        is_special = broker.slow_requests.crowded or self.connection.broken is not None
        if is_special and not self._is_for_now(request, frame):
            return self.connection.broken is not None
        if replies.is_replicating and key != _PRODUCE:
            # It may ask for what those before it have changed.
            replies.others -= 1
            return replies.hold_back(frame)
        self.last_key = key
        context = self._contexts.get(key)
        same = context is not None and context.api_version == version
        if context is None or not same or context.client_id != client_id:
            context = self._new_context(request)
        if replies.unwritten >= 0 and key != replies.unwritten:
            # What it asks may be what those before it have changed.
            broker.replicas.write()
        outcome = self._handlers[key](broker, context, request.body)
        if self._known is not None or isinstance(outcome, Repeatable):
            outcome = self._learn(frame, request, outcome)
        if began is not None:
            used = RequestCost(len(frame), broker.clock.monotonic() - began)
            return replies.take_metered(request, outcome, used)
        return replies.take(request, outcome)

    def may_take(self, frame: memoryview) -> bool:
        """Whether a large request may be handled now; those without records wait for each other.

        In an old dialect long ones do, before they are read: to read 30,000 sets takes 0.1 s.
        """
        if self._dialect.name != "kafka" and len(frame) > _LONG_BYTES:
            return self.connection.broken is not None or self._takes_turn()
        if not self._dialect.has_records(frame):
            admission = self._broker.stepping.admission
            self._admitted = admission.admit(len(frame), self.connection.resume)
            return self._admitted
        return True

    def _takes_turn(self) -> bool:
        slow_requests = self._broker.slow_requests
        self._has_turn = not slow_requests.must_wait(self._on_own_turn)
        if self._has_turn:
            slow_requests.handled()
        return self._has_turn

    def _is_for_now(self, request: Request, frame: memoryview) -> bool:
        """Whether a request is to be handled in this turn of the loop, or at all."""
        if self.connection.broken is not None:
            # The client has disconnected and gets no reply; records are still appended, maybe with acks=0.
            return request.api_key == _PRODUCE
        has_turn, self._has_turn = self._has_turn, False
        slow_requests = self._broker.slow_requests
        if has_turn or not slow_requests.crowded or not self._may_be_slow(request):
            return True
        if slow_requests.must_wait(self._on_own_turn):
            self.connection.take_back(frame)
            return False
        return True

    def _may_be_slow(self, request: Request) -> bool:
        if may_be_slow(self._dialect.name, request):
            return True
        body, replicas = request.body, self._broker.replicas
        return isinstance(body, ProduceRequest) and may_append_slowly(replicas.partitions_of(body))

    def _on_own_turn(self) -> None:
        # Where replies wait to be written, the frame comes again behind them.
        if not self._replies.has_outcomes:
            self.connection.resume()

    def _new_context(self, request: Request) -> RequestContext:
        """The context of a request that has another version or client id than the one before of its API.

        All contexts that stay share one client id. One that is longer is only for this request.
        """
        key, version, client_id = request.api_key, request.api_version, request.client_id
        connection = self.connection
        kept = client_id and client_id[:KEPT_OF_CLIENT_ID]
        if kept != connection.client_id:
            connection.client_id = kept
            self._contexts.clear()
        kept = connection.client_id
        context = self._contexts[key] = RequestContext(key, version, kept, *self._place)
        if client_id == kept:
            return context
        if not self._broker.quotas.in_force:
            # The request stays while its outcome is awaited, and only quotas need its client.
            request.client_id = kept
        return RequestContext(key, version, client_id, *self._place)

    def on_event_end(self) -> None:
        """Write what was appended, then reply to all requests of the event."""
        if self._admitted:
            self._admitted = False
            self._broker.stepping.admission.handled()
        self._replies.on_event_end()

    def finish(self) -> None:
        """Take no more requests; close when the replies are out."""
        self._replies.let_go()
        self.connection.finish()
        self._replies.silence.end()

    def on_closed(self) -> None:
        """Let go of what waits for this client."""
        self._replies.give_up()
        self._broker.stepping.admission.forget(self.connection.resume)
        self._broker.slow_requests.forget(self._on_own_turn)
        self._on_gone(self)
