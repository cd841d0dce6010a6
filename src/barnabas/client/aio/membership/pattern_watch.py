"""Periodically lists the topics whose names match a pattern."""

import asyncio
import logging
import re
from collections.abc import Callable

from barnabas.client.aio.cluster.cluster import Cluster
from barnabas.client.core.cluster.cluster_view import is_internal
from barnabas.errors import KafkaError

log = logging.getLogger(__name__)


class PatternWatch:
    """Calls `found` with all matching names, every metadata.max.age.ms.

    `internal`: include internal topics.
    """

    def __init__(
        self,
        cluster: Cluster,
        pattern: "re.Pattern[str]",
        found: Callable[[list[str]], None],
        *,
        internal: bool,
    ) -> None:
        self.pattern = pattern
        self._cluster = cluster
        self._found = found
        self._internal = internal
        self._task = cluster.environment.loop.create_task(self._look())

    def close(self) -> None:
        """Stop."""
        self._task.cancel()

    async def _look(self) -> None:
        failures = 0
        while True:
            try:
                reply = await self._cluster.metadata.of(None)
            except KafkaError as error:
                failures += 1
                log.debug("topics not had pattern=%s why=%s", self.pattern.pattern, error)
                await asyncio.sleep(self._cluster.retry_wait(failures))
                continue
            failures = 0
            self._found(
                [
                    row.name
                    for row in reply.topics
                    if row.name is not None
                    and not row.error_code
                    and (self._internal or not is_internal(row))
                    and self.pattern.fullmatch(row.name)
                ]
            )
            await asyncio.sleep(self._cluster.view.max_age_s)
