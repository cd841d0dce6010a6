"""Shared code of the calls of Admin: retries until a deadline."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from barnabas.client.aio.cluster.cluster import Cluster
from barnabas.client.aio.cluster.retries import NOT_THERE, persist
from barnabas.client.core.arguments.deadline import Deadline

_Result = TypeVar("_Result")


class AdminCalls:
    """Calls of Admin to a cluster."""

    _cluster: Cluster

    async def _asked(
        self, timeout_s: float | None, what: str, attempt: Callable[[], Awaitable[_Result]]
    ) -> _Result:
        """Run `attempt` until it succeeds, for up to `timeout_s` seconds (None: the default)."""
        return await self._asked_by(self._cluster.limits.deadline(timeout_s), what, attempt)

    async def _asked_by(
        self, deadline: Deadline, what: str, attempt: Callable[[], Awaitable[_Result]]
    ) -> _Result:
        return await persist(self._cluster, deadline, what, attempt, final=NOT_THERE)
