"""ClientConnection: one client: frames to requests, outcomes to replies, in the order of requests."""

import logging
from collections.abc import Callable, Sequence
from functools import partial

from barnabas.broker.broker import Broker
from barnabas.broker.connections.known_requests import KnownRequests
from barnabas.broker.connections.listener_dialects import Spoken
from barnabas.broker.connections.metering import Silence, Used, metered
from barnabas.broker.connections.replies import reply_to_all, written
from barnabas.broker.connections.unordered_replies import Floating
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.latch import Latch
from barnabas.broker.purgatory.purgatory import Pending, Repeatable, Unwritten, reply_of, there
from barnabas.broker.purgatory.slow_requests import may_be_slow
from barnabas.broker.replicas.partition import Partition
from barnabas.dialects.dialect import Request, Unanswered
from barnabas.protocol.api_keys import ApiKey
from barnabas.runtime.connections.connection import Connection

log = logging.getLogger(__name__)

_NOTHING = -1
_PRODUCE = int(ApiKey.PRODUCE)


class ClientConnection:
    """Serves the frames of one connection.

    Order: what an event appended is written, then its replies are made and sent together; where that
    was nothing but what the broker has decided itself, at the end of the loop's turn, with what other
    connections have brought to it. What waits for no write is answered at once: so it is counted.
    A reply that waits mutes the connection, so that replies keep the order of the requests. While
    quotas are in force requests are taken one by one, the next one when the client's wait is over.
    Where replies may overtake each other, nothing is muted: the one whose client has to wait is kept back.
    """

    __slots__ = (
        "_admitted", "_broker", "_contexts", "_dialect", "_floating", "_handlers", "_known", "_on_gone",
        "_others", "_outcomes", "_parked", "_place", "_silence", "_unwritten", "_used",
        "connection", "number", "peer_host",
    )  # fmt: skip

    def __init__(
        self,
        broker: Broker,
        spoken: Spoken,
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
        self._outcomes: list[tuple[Request, object]] = []
        at_once = self._dialect.at_once
        self._floating = Floating(at_once) if at_once > 1 else None
        self._parked: tuple[Request, Pending] | None = None
        self._unwritten = _NOTHING
        """The API of the last request of this event that is answered when it is written."""
        self._admitted = False
        self._others = 0
        """Requests of this event that are anything else, or failed."""
        self._used: Used | None = None
        self._silence = Silence(broker.timers, self._on_silence_over)
        self._known: KnownRequests | None = None
        """The requests that may come again; None: there was none such."""
        self.peer_host = connection.peer.rpartition(":")[0]
        self._place = listener, connection.peer, number, "/" + self.peer_host.strip("[]")

    def take_known(self, received: memoryview, start: int, end: int) -> int:
        """Answer the frames from `start` on that repeat earlier ones; returns where they end.

        None while quotas are in force, as each request is measured, or while slow requests crowd.
        """
        known = self._known
        broker = self._broker
        is_special = broker.quotas.in_force or broker.slow_requests.crowded
        if known is None or is_special or self.connection.broken is not None:
            return start
        end, responses = known.take(received, start, end)
        if callable(responses):
            self.connection.pause()
            self._broker.turn.when_over(partial(self._on_known_written, responses))
        elif responses:
            self.connection.send(responses)
            self.connection.listen_late(late=known.is_patient)
        return end

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
        known = self._known = self._known or KnownRequests(self._broker, self._dialect)
        known.learn(frame, request, outcome)
        return outcome.outcome

    def on_frame(self, frame: memoryview) -> bool:
        """Handle one request; False if the next one has to wait."""
        broker = self._broker
        began = broker.clock.monotonic() if broker.quotas.in_force else None
        self._others += 1
        try:
            request = self._dialect.read_request(frame)
        except Unanswered as reason:
            self._leave_unanswered(reason)
            return True
        key, version, client_id = request.api_key, request.api_version, request.client_id
        is_special = broker.slow_requests.crowded or self.connection.broken is not None
        if is_special and not self._is_for_now(request, frame):
            return self.connection.broken is not None
        who = self._contexts.get(key)
        same = who is not None and who.api_version == version and who.client_id == client_id
        if who is None or not same:
            who = self._look_round(request)
        if self._unwritten >= 0 and key != self._unwritten:
            # What it asks may be what those before it have changed.
            broker.replicas.write()
        outcome = self._handlers[key](broker, who, request.body)
        if self._known is not None or isinstance(outcome, Repeatable):
            outcome = self._learn(frame, request, outcome)
        if began is not None:
            used = Used(len(frame), broker.clock.monotonic() - began)
            return self._take(request, outcome, used)
        kind = type(outcome)
        if kind is Pending or self._used is not None:
            return self._take(request, outcome, None)
        if kind is Unwritten:
            self._unwritten = key
            self._others -= 1
        elif key != _PRODUCE and broker.replicas.write():
            # It waits for nothing: the connection learns how much is to be sent before the next one.
            self._reply_to_all()
            self._reply(request, outcome)
            self._others -= 1
            return True
        self._outcomes.append((request, outcome))
        return True

    def may_take(self, frame: memoryview) -> bool:
        """Whether a large request may be handled now; those without records wait for each other."""
        if not self._dialect.has_records(frame):
            admission = self._broker.stepping.admission
            self._admitted = admission.admit(len(frame), self.connection.resume)
            return self._admitted
        return True

    def _is_for_now(self, request: Request, frame: memoryview) -> bool:
        """Whether a request is to be handled in this turn of the loop, or at all."""
        if self.connection.broken is not None:
            # Nobody is there to be answered; records may have asked for no reply.
            return request.api_key == _PRODUCE
        slow_requests = self._broker.slow_requests
        if not slow_requests.crowded or not may_be_slow(self._dialect.name, request):
            return True
        if slow_requests.must_wait(self._on_own_turn):
            self.connection.take_back(frame)
            return False
        return True

    def _on_own_turn(self) -> None:
        # Where replies wait to be written, the frame comes again behind them.
        if not self._outcomes:
            self.connection.resume()

    def _look_round(self, request: Request) -> RequestContext:
        """The surroundings of a request that is not like the one before of its API."""
        key, version, client_id = request.api_key, request.api_version, request.client_id
        if client_id != self.connection.client_id:
            self.connection.client_id = client_id
            self._contexts.clear()
        context = self._contexts[key] = RequestContext(key, version, client_id, *self._place)
        return context

    def _take(self, request: Request, outcome: object, used: Used | None) -> bool:
        """Keep an outcome for the end of the event, or wait for it; whether the next may come."""
        if used is not None and self._floating is not None and not isinstance(outcome, Pending):
            outcome = there(outcome)
        if type(outcome) is Pending or (used is not None and isinstance(outcome, Unwritten)):
            then = partial(self.connection.guarded, self._reply_now, request, used)
            if self._floating is not None and self._floating.take(outcome, then):
                return True
            self._used = used
            self._parked = (request, outcome)
            return False
        self._used = used
        if type(outcome) is Unwritten:
            self._unwritten = request.api_key
            self._others -= 1
        self._outcomes.append((request, outcome))
        return used is None

    def _leave_unanswered(self, reason: Unanswered) -> None:
        log.info("request left unanswered: %s", reason, extra={"peer": self.connection.peer})

    def on_event_end(self) -> None:
        """Write what was appended, then reply to all requests of the event."""
        if self._admitted:
            self._admitted = False
            self._broker.stepping.admission.handled()
        if not self._others and self._unwritten < 0:
            return
        others, self._others = self._others, 0
        if self._unwritten >= 0 and not others:
            self._wait_for_turn()
            return
        replicas = self._broker.replicas
        unseen = () if replicas.write() else replicas.take_unseen()
        if unseen and (self._outcomes or (self._floating is not None and self._floating.has_new)):
            self._wait_for(unseen)
        else:
            self._answer()

    def _wait_for_turn(self) -> None:
        self.connection.pause()
        self._broker.turn.when_over(self._on_all_seen)

    def _wait_for(self, unseen: Sequence[Partition]) -> None:
        self.connection.pause()
        waiting = Latch(len(unseen), self._on_all_seen)
        for partition in unseen:
            partition.when_seen(waiting.arrive)

    def _answer(self) -> None:
        if self._used is not None and self._parked is None:
            request, outcome = self._outcomes.pop()
            self._reply_to_all()
            self._reply_metered(request, outcome, self._used)
        else:
            self._reply_to_all()
        if self._floating is not None:
            self._floating.start()
        if self._parked is not None:
            self._parked[1].on_done(self._on_parked_done)

    def _reply_to_all(self) -> None:
        outcomes = self._outcomes
        if not outcomes:
            return
        self._outcomes = []
        if self._unwritten >= 0:
            self._unwritten, outcomes = _NOTHING, written(outcomes)
        if len(outcomes) == 1:
            self._reply(*outcomes[0])
        else:
            reply_to_all(self._dialect, outcomes, self.connection.send)

    def _on_all_seen(self) -> None:
        """What the event appended counts, or is lost: reply, and go on."""
        goes_on = self._parked is None and self._used is None
        self.connection.guarded(self._answer)
        if goes_on and not self._silence:
            self.connection.resume()

    def _reply(self, request: Request, outcome: object) -> None:
        reply = self._dialect.write_response(request, outcome)
        if reply is not None:
            self.connection.send(reply)

    def _reply_now(self, request: Request, used: Used | None, outcome: object) -> None:
        if used is None:
            self._reply(request, reply_of(outcome))
        else:
            self._reply_or_keep(used, request, reply_of(outcome))

    def _reply_or_keep(self, used: Used, request: Request, outcome: object) -> None:
        """Reply under a quota when the client's wait is over, while other requests go on."""
        reply, wait_ms = metered(self._broker, self._dialect, request, outcome, used)
        if reply is None:
            if wait_ms and not self._silence:
                # There is nothing to keep back: who wants no replies sends no more.
                self.connection.pause()
                self._silence.begin(wait_ms)
        elif wait_ms:
            assert self._floating is not None
            send = partial(self.connection.guarded, self.connection.send)
            self._floating.hold(reply, send, self._broker.timers, wait_ms / 1000)
        else:
            self.connection.send(reply)

    def _reply_metered(self, request: Request, outcome: object, used: Used) -> None:
        """Reply under a quota, and take the next request when the client's wait is over."""
        self._used = None
        reply, wait_ms = metered(self._broker, self._dialect, request, outcome, used)
        if reply is not None:
            self.connection.send(reply)
        if wait_ms:
            self._silence.begin(wait_ms)
        elif not self._silence:
            self.connection.resume()

    def _on_silence_over(self) -> None:
        if self._parked is None:
            self.connection.resume()

    def finish(self) -> None:
        """Take no more requests; close when the replies are out."""
        if self._floating is not None:
            self._floating.let_go()
        self.connection.finish()
        self._silence.end()

    def on_closed(self) -> None:
        """Let go of what waits for this client."""
        parked, self._parked = self._parked, None
        if parked is not None:
            parked[1].give_up()
        if self._floating is not None:
            self._floating.give_up()
        self._silence.cancel()
        self._broker.stepping.admission.forget(self.connection.resume)
        self._broker.slow_requests.forget(self._on_own_turn)
        self._on_gone(self)

    def _on_parked_done(self, outcome: object) -> None:
        # It may be the event of another connection that completes it.
        self.connection.guarded(self._reply_parked, outcome)

    def _reply_parked(self, told: object) -> None:
        assert self._parked is not None
        request, _ = self._parked
        self._parked = None
        outcome = reply_of(told)
        if self._used is not None:
            self._reply_metered(request, outcome, self._used)
        elif not self._silence:
            reply = self._dialect.write_response(request, outcome)
            self.connection.resume(reply)
        else:
            self._reply(request, outcome)
