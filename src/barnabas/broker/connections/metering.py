"""Counts what requests use of quotas, and sets the throttle time of responses.

How it waits is the connection's: it takes no more requests for that time (KIP-219), or, where replies
may overtake each other, keeps this one back.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from barnabas.broker.broker import Broker
from barnabas.dialects.dialect import UNCOUNTED, Dialect, Request
from barnabas.ports import Timer, Timers
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.fetch import FetchRequest, FetchResponse
from barnabas.wire.send import Send

_PRODUCE, _FETCH = int(ApiKey.PRODUCE), int(ApiKey.FETCH)
_NEW_SESSION = 0


class RequestCost(NamedTuple):
    """What a request has cost so far: bytes received, and seconds of the broker's time."""

    size: int
    seconds: float


class ThrottledReply(NamedTuple):
    """A reply, and for how long no more requests are read from its client."""

    reply: Send | bytes | None
    wait_ms: int


class ThrottlePause:
    """The time in which nothing is read from a client over its quota; `over` is called at its end."""

    __slots__ = ("_over", "_timer", "_timers")

    def __init__(self, timers: Timers, over: Callable[[], None]) -> None:
        self._timers = timers
        self._over = over
        self._timer: Timer | None = None

    def __bool__(self) -> bool:
        """Whether it is not over yet."""
        return self._timer is not None

    def begin(self, wait_ms: int) -> None:
        """Begin, or begin again."""
        self.cancel()
        self._timer = self._timers.after(wait_ms / 1000, self._end)

    def cancel(self) -> None:
        """End it, and call nobody."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def end(self) -> None:
        """End it now."""
        if self._timer is not None:
            self._timer.cancel()
            self._end()

    def _end(self) -> None:
        self._timer = None
        self._over()


def metered(
    broker: Broker, dialect: Dialect, request: Request, outcome: object, used: RequestCost
) -> ThrottledReply:
    """Count a request, and write its reply with the time that the client has to wait.

    Records that a client has no quota for are not sent: it gets an empty answer and fetches again.
    """
    client_id, began = request.client_id or "", broker.clock.monotonic()
    wait_ms = broker.throttling.worked(client_id, used.seconds)
    if request.api_key == _PRODUCE:
        wait_ms = max(wait_ms, broker.throttling.produced(client_id, used.size))
    elif request.api_key == _FETCH:
        # A reply that is delayed must not refer to files: they may be deleted by then.
        kept = wait_ms and dialect.at_once > 1
        # What is written only for its size is in no metrics.
        probe = replace(request, received_s=UNCOUNTED)
        size = 0 if kept else len(dialect.write_response(probe, outcome) or b"")
        bandwidth_ms = broker.throttling.fetched(client_id, size)
        if bandwidth_ms or kept:
            outcome = _nothing(request.body, outcome)
            wait_ms = max(wait_ms, bandwidth_ms)
    else:
        wait_ms = max(wait_ms, getattr(outcome, "throttle_time_ms", 0))
    reply = dialect.write_response(request, outcome, wait_ms)
    # What the reply itself has cost counts from the next request on, as with Kafka.
    broker.throttling.worked(client_id, broker.clock.monotonic() - began)
    return ThrottledReply(reply, wait_ms)


def _nothing(asked: object, outcome: object) -> object:
    """No records; a session that would begin with them does not begin."""
    if not isinstance(asked, FetchRequest) or not isinstance(outcome, FetchResponse):
        return outcome  # It contradicted itself, and was given nothing.
    begins = asked.session_epoch == _NEW_SESSION
    return FetchResponse(session_id=0 if begins else outcome.session_id, responses=[])
