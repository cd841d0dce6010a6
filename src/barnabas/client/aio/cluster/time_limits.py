"""TimeLimits: bounds the calls of a client, and ends calls early if nothing listens at its servers."""

import asyncio
from collections.abc import Sequence
from typing import TypeVar

from barnabas.client.core.arguments.deadline import API_TIMEOUT, REFUSED, TIMEOUT, Deadline
from barnabas.client.core.cluster.bootstrap import Failures
from barnabas.config.clients import ClientConfig
from barnabas.errors import ConnectionFailed

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
        refused_ms = config.bootstrap_refused_timeout_ms
        self._refused_s = None if refused_ms is None else refused_ms / 1000
        self._bootstrap = [f"{host}:{port}" for host, port in bootstrap]
        self._overdue: set[asyncio.Timeout] = set()

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
        early, limit, refused = None, asyncio.timeout_at(deadline.at), deadline
        try:
            async with limit:
                if self._refused_s is not None and not self.reached:
                    refused = self.deadline_by(REFUSED, self._refused_s)
                    early = self._loop.call_at(refused.at, self._look_early, limit)
                return await work
        except TimeoutError:
            over = deadline if self._loop.time() >= deadline.at else refused
            raise over.missed(what, self.trouble()) from None
        finally:
            self._overdue.discard(limit)
            if early is not None:
                early.cancel()

    def trouble(self) -> ConnectionFailed | None:
        """Why no broker is reachable now; None if one was reached."""
        return self.failures.error() if self.failures else None

    def note_failure(self, address: str, why: object) -> None:
        """Note that a connection was lost, or could not be opened."""
        self.failures.note(address, why)
        self._look_early()

    def _look_early(self, *overdue: asyncio.Timeout) -> None:
        """End waiting calls if nothing listens, now or as soon as the last address has refused."""
        self._overdue.update(overdue)
        nobody = self.failures.hopeless(self._bootstrap)
        for limit in self._overdue if nobody and not self.reached else ():
            if not limit.expired():
                limit.reschedule(self._loop.time())
