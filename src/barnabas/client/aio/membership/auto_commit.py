"""AutoCommit: saves a group's positions every auto.commit.interval.ms, alongside polls.

A poll starts it and waits for no broker. A failed try is not repeated: as in Kafka's client, the
next one saves the newer positions, soon if the error is retriable, otherwise after the interval.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from math import inf
from typing import Final

from barnabas.client.aio.cluster.cluster import Cluster
from barnabas.client.core.admin.group_descriptions import CommittedOffset
from barnabas.errors import ErrorCode, KafkaError
from barnabas.types import TopicPartition

log = logging.getLogger(__name__)

_LOOK_S: Final = 0.05
"""How often polls run the loop for a pending commit although they have records to return."""

_TURNS: Final = 5
"""Loop turns within which a request is sent if the coordinator is connected."""

_WARN_AFTER: Final = 3
"""Intervals without success before a warning: coordinators move in fewer."""

Saved = Mapping[TopicPartition, CommittedOffset]


class AutoCommit:
    """`at`: when a poll must call `attend` next, in monotonic seconds. `interval_s` None: never.

    `save` saves positions, without retries.
    """

    def __init__(
        self,
        cluster: Cluster,
        interval_s: float | None,
        save: Callable[[Saved], Awaitable[None]],
    ) -> None:
        self.at = inf
        self._cluster = cluster
        self._loop = cluster.environment.loop
        self._interval_s = interval_s
        self._save = save
        self._task: asyncio.Task[None] | None = None
        self._failures = 0
        self._failing_since = 0.0
        self._warned = False
        self.postpone()

    def postpone(self) -> None:
        """Another commit saves the positions: wait for the next interval."""
        if self._interval_s is not None:
            self.at = self._loop.time() + self._interval_s

    async def attend(self, positions: Callable[[], Saved]) -> None:
        """Start to save positions, or advance a pending commit."""
        now = self._loop.time()
        if self._task is None or self._task.done():
            chosen = positions()
            if not chosen:
                self.postpone()
                return
            self._task = self._loop.create_task(self._try(chosen, now))
        self.at = now + _LOOK_S
        for _ in range(_TURNS):
            await asyncio.sleep(0)

    def stop(self) -> None:
        """Cancel a pending commit: newer positions are about to be saved, or none any more."""
        if self._task is not None and not self._task.done():
            self._task.cancel()
            self.at = self._loop.time()

    async def _try(self, chosen: Saved, begun: float) -> None:
        assert self._interval_s is not None, "it was due"
        try:
            await self._save(chosen)
        except KafkaError as error:
            wait_s = self._failed(error, begun)
        else:
            self._failures, self._warned = 0, False
            wait_s = max(0.0, begun + self._interval_s - self._loop.time())
        self.at = self._loop.time() + wait_s

    def _failed(self, error: KafkaError, begun: float) -> float:
        """Return the seconds until the next try; log what is not saved."""
        assert self._interval_s is not None, "it was due"
        passes = error.retriable or error.code is ErrorCode.STALE_MEMBER_EPOCH
        if not self._failures:
            self._failing_since = begun
        self._failures += 1
        lasted_s = self._loop.time() - self._failing_since
        warns = not passes or (not self._warned and lasted_s >= _WARN_AFTER * self._interval_s)
        self._warned = self._warned or warns
        level = logging.WARNING if warns else logging.DEBUG
        log.log(level, "automatic commit failed: %s", error)
        return self._cluster.retry_wait(self._failures) if passes else self._interval_s
