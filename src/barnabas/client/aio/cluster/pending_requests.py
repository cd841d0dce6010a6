"""The requests of one connection that wait for their responses, each with a deadline."""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from barnabas.client.core.metrics import Traffic
from barnabas.errors import KafkaError

OnAnswer = Callable[[Any], None]
"""Called once, with the response, or with a KafkaError instead."""


@dataclass(slots=True)
class _Waiting:
    on_answer: OnAnswer
    deadline: float
    since: float


class PendingRequests:
    """Requests in the order of their responses. `on_late` is called when one has none in time.

    Only the earliest deadline has a timer.
    """

    def __init__(
        self, loop: asyncio.AbstractEventLoop, traffic: Traffic, on_late: Callable[[], None]
    ) -> None:
        self._loop = loop
        self._traffic = traffic
        self._on_late = on_late
        self._waiting: deque[_Waiting] = deque()
        self._timer: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, on_answer: OnAnswer, now: float, seconds: float) -> None:
        """Expect a response within this time."""
        self._waiting.append(_Waiting(on_answer, now + seconds, now))
        if self._timer is None:
            self._timer = self._loop.call_later(seconds, self._look_at_deadlines)

    def answered(self, message: object) -> None:
        """Pass the response on to whoever sent the oldest request."""
        waiting = self._waiting.popleft()
        self._traffic.answers += 1
        self._traffic.waited_s += self._loop.time() - waiting.since
        waiting.on_answer(message)

    def cancel(self) -> None:
        """Watch no deadlines any more; `fail` must follow."""
        if self._timer is not None:
            self._timer.cancel()

    def fail(self, why: KafkaError) -> None:
        """No response will come: pass the error on to all."""
        lost, self._waiting = self._waiting, deque()
        for waiting in lost:
            waiting.on_answer(why)

    def _look_at_deadlines(self) -> None:
        self._timer = None
        if not self._waiting:
            return
        now = self._loop.time()
        soonest = min(waiting.deadline for waiting in self._waiting)
        if soonest <= now:
            self._on_late()
            return
        self._timer = self._loop.call_later(soonest - now, self._look_at_deadlines)
