"""OrderedReplies: sends the responses of one connection in the order of its requests."""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from barnabas.broker.broker import Broker
from barnabas.broker.connections.metering import RequestCost, ThrottlePause, metered
from barnabas.broker.connections.unordered_replies import UnorderedReplies
from barnabas.broker.purgatory.latch import Latch
from barnabas.broker.purgatory.pending import Pending, Unreplicated, Unwritten, reply_of, there
from barnabas.broker.replicas.partition import Partition
from barnabas.dialects.dialect import Dialect, Request
from barnabas.protocol.api_keys import ApiKey
from barnabas.runtime.connections.connection import Connection
from barnabas.wire.send import Send

_NOTHING = -1
_PRODUCE = int(ApiKey.PRODUCE)


class OrderedReplies:
    """Replies in the order of their requests, but for those that may overtake each other.

    What an event appended is written, then its replies are made and sent together; where that was
    nothing but what the broker has decided itself, at the end of the loop's turn, with what other
    connections have brought to it. What waits for no write is answered at once: so it is counted.
    A reply that waits mutes the connection, so that replies keep the order of the requests. While
    quotas are in force requests are taken one by one, the next one when the client's wait is over.
    Where replies may overtake each other, nothing is muted: the one whose client has to wait is kept back.
    What other replicas have to copy mutes at the end of the turn: all records of it go to them at once.
    """

    __slots__ = (
        "_awaits_replicas", "_broker", "_connection", "_dialect", "_floating", "_held_back",
        "_outcomes", "_parked", "_replicating", "_used", "has_new", "others",
        "silence", "unwritten",
    )  # fmt: skip

    def __init__(self, broker: Broker, dialect: Dialect, connection: Connection) -> None:
        self._broker = broker
        self._dialect = dialect
        self._connection = connection
        self._outcomes: list[tuple[Request | None, object]] = []
        """Without its request an outcome is the bytes of a response."""
        at_once = dialect.at_once
        self._floating = UnorderedReplies(at_once) if at_once > 1 else None
        self._parked: tuple[Request, Pending] | None = None
        self._replicating: deque[tuple[Request | None, object]] = deque()
        """The first waits for other replicas, and the others for the first."""
        self.has_new = False
        """Whether an outcome of this event may wait for other replicas."""
        self._awaits_replicas = False
        self._held_back = False
        self._used: RequestCost | None = None
        self.silence = ThrottlePause(broker.timers, self._on_silence_over)
        """The time in which nothing is taken from a client over its quota."""
        self.unwritten = _NOTHING
        """The API of the last request of this event that is answered when it is written; -1: none."""
        self.others = 0
        """Requests of this event that are anything else, or failed."""

    @property
    def has_outcomes(self) -> bool:
        """Whether some of this event wait for its end."""
        return bool(self._outcomes or self._replicating)

    @property
    def is_replicating(self) -> bool:
        """Whether some may wait for other replicas."""
        return self.has_new or bool(self._replicating)

    def take(self, request: Request, outcome: object) -> bool:
        """Keep an outcome for the end of the event, reply at once, or wait; whether the next may come."""
        kind = type(outcome)
        if kind is Unreplicated and self._floating is None and self._used is None:
            self.has_new = True
            self._outcomes.append((request, outcome))
            return True
        if kind is Pending or kind is Unreplicated or self._used is not None:
            return self.take_metered(request, outcome, None)
        if kind is Unwritten:
            self.unwritten = request.api_key
            self.others -= 1
        elif request.api_key != _PRODUCE and self._broker.replicas.write():
            # It waits for nothing: the connection learns how much is to be sent before the next one.
            self._reply_to_all()
            self._reply(request, outcome)
            self.others -= 1
            return True
        self._outcomes.append((request, outcome))
        return True

    def take_metered(self, request: Request, outcome: object, used: RequestCost | None) -> bool:
        """As `take`; `used` is what the request has cost, while quotas are in force."""
        if used is not None and self._floating is not None and not isinstance(outcome, Pending):
            outcome = there(outcome)
        kind = type(outcome)
        if kind is Pending or kind is Unreplicated or (used is not None and kind is Unwritten):
            assert isinstance(outcome, Pending)
            then = partial(self._connection.guarded, self._reply_now, request, used)
            if self._floating is not None and self._floating.take(outcome, then):
                return True
            self._used = used
            self._parked = (request, outcome)
            if outcome.continues:
                self._connection.pause()
            return False
        self._used = used
        if kind is Unwritten:
            self.unwritten = request.api_key
            self.others -= 1
        self._outcomes.append((request, outcome))
        return used is None

    def take_known(self, *replies: bytes | Pending) -> None:
        """Keep responses to requests that were not read.

        Bytes, or what gives them: they wait for those before, or for other replicas.
        """
        self.has_new = True
        self.others += len(replies)
        self._outcomes += [(None, one) for one in replies]

    def hold_back(self, frame: memoryview) -> bool:
        """Have the frame that came last come again when other replicas have what came before it; False."""
        self._held_back = True
        self._connection.take_back(frame)
        return False

    def on_event_end(self) -> None:
        """Write what was appended, then reply to all requests of the event."""
        if not self.others and self.unwritten < 0:
            return
        others, self.others = self.others, 0
        if self.unwritten >= 0 and not others:
            self._connection.pause()
            self._broker.turn.when_over(self._on_all_committed)
            return
        replicas = self._broker.replicas
        uncommitted = () if replicas.write() else replicas.take_uncommitted()
        if uncommitted and (
            self._outcomes or (self._floating is not None and self._floating.has_new)
        ):
            self._wait_for(uncommitted)
        else:
            self._answer()

    def _wait_for(self, uncommitted: Sequence[Partition]) -> None:
        self._connection.pause()
        waiting = Latch(len(uncommitted), self._on_all_committed)
        for partition in uncommitted:
            partition.when_committed(waiting.arrive)

    def _answer(self) -> None:
        if self._used is not None and self._parked is None:
            request, outcome = self._outcomes.pop()
            assert request is not None, "what is metered was read"
            self._reply_to_all()
            self._reply_metered(request, outcome, self._used)
        elif not self._reply_in_order():
            self._held_back = False
            if not self._awaits_replicas:
                self._awaits_replicas = True
                self._broker.turn.when_over(self._await_replicas)
            return
        if self._floating is not None:
            self._floating.start()
        if self._held_back:
            self._held_back = False
            self._connection.resume()
        if self._parked is not None:
            self._parked[1].on_done(self._on_parked_done)

    def _reply_in_order(self) -> bool:
        """Reply as far as nothing waits for other replicas; whether that is to all."""
        waiting = self._replicating
        if not self.has_new and not waiting:
            self._reply_to_all()
            return True
        self.has_new = False
        outcomes, self._outcomes = self._outcomes, []
        if self.unwritten >= 0:
            self.unwritten, outcomes = _NOTHING, _written(outcomes)
        waiting.extend(outcomes)
        try:
            while waiting:
                request, outcome = waiting[0]
                if type(outcome) is Unreplicated:
                    if not outcome.is_done:
                        break
                    outcome = reply_of(outcome.outcome)
                waiting.popleft()
                self._outcomes.append((request, outcome))
        finally:
            self._reply_to_all()
        return not waiting

    def _await_replicas(self) -> None:
        """The turn is over, in which more records may have come: take no more until others have these."""
        if not self._replicating:
            self._awaits_replicas = False
            return
        self._connection.pause()
        _, first = self._replicating[0]
        assert isinstance(first, Pending)
        first.on_done(self._on_replicated)

    def _on_replicated(self, _outcome: object) -> None:
        self._awaits_replicas = False
        self._on_all_committed()

    def _reply_to_all(self) -> None:
        outcomes = self._outcomes
        if not outcomes:
            return
        self._outcomes = []
        if self.unwritten >= 0:
            self.unwritten, outcomes = _NOTHING, _written(outcomes)
        if len(outcomes) == 1:
            self._reply(*outcomes[0])
        else:
            _send_joined(self._dialect, outcomes, self._connection.send)

    def _on_all_committed(self) -> None:
        """The appends of the event are committed, or failed: reply, and read on."""
        goes_on = self._parked is None and self._used is None
        self._connection.guarded(self._answer)
        if goes_on and not self.silence and not self._replicating:
            self._connection.resume()

    def _reply(self, request: Request | None, outcome: object) -> None:
        reply = _response(self._dialect, request, outcome)
        if reply is not None:
            self._connection.send(reply)

    def _reply_now(self, request: Request, used: RequestCost | None, outcome: object) -> None:
        if used is None:
            self._reply(request, reply_of(outcome))
        else:
            self._reply_or_keep(used, request, reply_of(outcome))

    def _reply_or_keep(self, used: RequestCost, request: Request, outcome: object) -> None:
        """Reply under a quota when the client's wait is over; other requests are handled meanwhile."""
        reply, wait_ms = metered(self._broker, self._dialect, request, outcome, used)
        if reply is None:
            if wait_ms and not self.silence:
                # There is no reply to delay: a client that wants none is slowed down by the pause.
                self._connection.pause()
                self.silence.begin(wait_ms)
        elif wait_ms:
            assert self._floating is not None
            send = partial(self._connection.guarded, self._connection.send)
            self._floating.hold(reply, send, self._broker.timers, wait_ms / 1000)
        else:
            self._connection.send(reply)

    def _reply_metered(self, request: Request, outcome: object, used: RequestCost) -> None:
        """Reply under a quota, and take the next request when the client's wait is over."""
        self._used = None
        reply, wait_ms = metered(self._broker, self._dialect, request, outcome, used)
        if reply is not None:
            self._connection.send(reply)
        if wait_ms:
            self.silence.begin(wait_ms)
        elif not self.silence:
            self._connection.resume()

    def _on_silence_over(self) -> None:
        if self._parked is None:
            self._connection.resume()

    def _on_parked_done(self, outcome: object) -> None:
        # It may be the event of another connection that completes it.
        self._connection.guarded(self._reply_parked, outcome)

    def _reply_parked(self, parked_outcome: object) -> None:
        assert self._parked is not None
        request, _ = self._parked
        self._parked = None
        outcome = reply_of(parked_outcome)
        if self._used is not None:
            self._reply_metered(request, outcome, self._used)
        elif not self.silence:
            reply = self._dialect.write_response(request, outcome)
            self._connection.resume(reply)
        else:
            self._reply(request, outcome)

    def let_go(self) -> None:
        """Send the replies that are kept back for a quota, now."""
        if self._floating is not None:
            self._floating.let_go()

    def give_up(self) -> None:
        """The client has disconnected: give up its pending replies."""
        for _, outcome in (*self._replicating, *self._outcomes):
            if type(outcome) is Unreplicated:
                outcome.give_up()
        self._replicating.clear()
        parked, self._parked = self._parked, None
        if parked is not None:
            parked[1].give_up()
        if self._floating is not None:
            self._floating.give_up()
        self.silence.cancel()


def _written(
    outcomes: Iterable[tuple[Request | None, object]],
) -> list[tuple[Request | None, object]]:
    """What the outcomes are now that all is written."""
    return [
        (request, outcome.outcome if type(outcome) is Unwritten else outcome)
        for request, outcome in outcomes
    ]


def _response(dialect: Dialect, request: Request | None, outcome: object) -> Send | bytes | None:
    if request is None:
        assert isinstance(outcome, bytes)
        return outcome
    return dialect.write_response(request, outcome)


def _send_joined(
    dialect: Dialect,
    outcomes: Iterable[tuple[Request | None, object]],
    send: Callable[[Send | bytes], None],
) -> None:
    """Send the replies in order, those of bytes joined with their neighbours."""
    joined: list[bytes] = []
    try:
        for request, outcome in outcomes:
            reply = _response(dialect, request, outcome)
            if isinstance(reply, bytes):
                joined.append(reply)
            elif reply is not None:
                if joined:
                    send(b"".join(joined))
                    joined.clear()
                send(reply)
    finally:
        # What came before a request that ends the connection has its reply.
        if joined:
            send(b"".join(joined))
