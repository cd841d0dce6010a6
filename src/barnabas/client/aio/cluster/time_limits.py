"""TimeLimits: bounds the calls of a client, and ends calls early if nothing listens at its servers."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from barnabas.client.core.arguments.deadline import API_TIMEOUT, REFUSED, TIMEOUT, Deadline
from barnabas.client.core.cluster.bootstrap import Failures
from barnabas.config.clients import ClientConfig
from barnabas.errors import ConnectionFailed, KafkaError

_Result = TypeVar("_Result")


class TimeLimits:
    """`reached`: whether a broker was ever reached. `failures`: why none is reachable now.

    `bootstrap` are host and port of the bootstrap servers.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        config: ClientConfig,
        bootstrap: Sequence[tuple[str, int]],
    ) -> None:
        self.reached = False
        self.failures = Failures()
        self._loop = loop
        self._api_timeout_s = config.default_api_timeout_ms / 1000
        self._refused_s = config.bootstrap_refused_timeout_ms / 1000
        self._bootstrap = [f"{host}:{port}" for host, port in bootstrap]
        self._overdue: set[Callable[[], None]] = set()

    def deadline(self, timeout_s: float | None = None) -> Deadline:
        """The deadline of a call that starts now; None means default.api.timeout.ms."""
        if timeout_s is None:
            return self.deadline_by(API_TIMEOUT, self._api_timeout_s)
        return self.deadline_by(TIMEOUT, timeout_s)

    def deadline_by(self, bound: str, seconds: float) -> Deadline:
        """The deadline of a call that starts now and is bounded by this property."""
        return Deadline.after(self._loop.time(), seconds, bound)

    async def within(
        self, deadline: Deadline, what: str, work: "asyncio.Future[_Result]"
    ) -> _Result:
        """Bound `work`; on timeout, the error says what was not done and what went wrong so far.

        It also times out after bootstrap.refused.timeout.ms if nothing listens at any server.

        Raises:
            KafkaError: time ran out, or an error of `work`.
        """
        limit = asyncio.timeout_at(deadline.at)

        def end() -> None:
            if not limit.expired():
                limit.reschedule(self._loop.time())

        with self._early(end) as refused:
            try:
                async with limit:
                    return await work
            except TimeoutError:
                over = deadline if self._loop.time() >= deadline.at else refused or deadline
                raise over.missed(what, self.trouble()) from None

    @contextmanager
    def reporting(self, what: str, report: Callable[[KafkaError], None]) -> Iterator[None]:
        """While the block runs, `report` the error with which `within` would end it early, once."""

        def end() -> None:
            assert early is not None, "it is due"
            report(early.missed(what, self.trouble()))

        with self._early(end) as early:
            yield

    @contextmanager
    def _early(self, end: Callable[[], None]) -> Iterator[Deadline | None]:
        """Call `end` once if nothing listens, from the time on that is returned; None: never."""
        if self.reached:
            yield None
            return
        refused = self.deadline_by(REFUSED, self._refused_s)
        timer = self._loop.call_at(refused.at, self._look_early, end)
        try:
            yield refused
        finally:
            self._overdue.discard(end)
            timer.cancel()

    def trouble(self) -> ConnectionFailed | None:
        """Why no broker is reachable now; None if one was reached."""
        return self.failures.error() if self.failures else None

    def note_failure(self, address: str, why: object) -> None:
        """Note that a connection was lost, or could not be opened."""
        self.failures.note(address, why)
        self._look_early()

    def _look_early(self, *overdue: Callable[[], None]) -> None:
        """End waiting calls if nothing listens, now or as soon as the last address has refused."""
        self._overdue.update(overdue)
        if self._overdue and not self.reached and self.failures.hopeless(self._bootstrap):
            ending, self._overdue = self._overdue, set()
            for end in ending:
                end()
