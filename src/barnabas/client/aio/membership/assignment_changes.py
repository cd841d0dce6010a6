"""AssignmentChanges: gives a consumer the partitions that its group assigns, and takes others away.

A listener is notified of each change by the consumer's caller, with a poll: the change waits for that.
"""

import asyncio
from collections.abc import Awaitable, Callable

from barnabas.client.aio.cluster.cluster import Cluster
from barnabas.client.aio.fetching.fetch_driver import FetchDriver
from barnabas.client.core.group.membership_results import Change, ChangeKind


class AssignmentChanges:
    """`listens`: whether there is a listener. `call`: the change that it must be notified of, if any.

    `listener_notified` must follow each `call`. `commits` saves finished positions before partitions are
    revoked, with automatic commits. `on_call` is called when `call` is set or cleared.
    """

    def __init__(
        self,
        cluster: Cluster,
        driver: FetchDriver,
        commits: Callable[[], Awaitable[None]] | None,
        on_call: Callable[[], None],
    ) -> None:
        self.listens = False
        self.call: Change | None = None
        self._notified: asyncio.Future[None] | None = None
        self._cluster = cluster
        self._driver = driver
        self._commits = commits
        self._on_call = on_call

    async def assign(self, change: Change) -> None:
        """Read the assigned partitions, too, and have the listener notified."""
        self._cluster.metadata.topics |= {where.topic for where in change.partitions}
        self._driver.assign([*self._driver.fetcher.positions, *change.partitions])
        await self._notify(change)

    async def revoke(self, change: Change, on_notified: Callable[[Change], None]) -> None:
        """Pause the partitions, commit positions, have the listener notified, and stop reading them.

        `on_notified` is called before the partitions are removed.
        """
        self.pause(change)
        if change.kind is ChangeKind.REVOKED and self._commits is not None:
            await self._commits()
        await self._notify(change)
        on_notified(change)
        gone = set(change.partitions)
        positions = self._driver.fetcher.positions
        self._driver.assign([where for where in positions if where not in gone])

    def pause(self, change: Change) -> None:
        """Return no more records of these partitions."""
        positions = self._driver.fetcher.positions
        for where in change.partitions:
            if where in positions:
                positions[where].paused = True

    def listener_notified(self) -> None:
        """Continue the change: the listener was notified of `call`."""
        self.call = None
        self._on_call()
        if self._notified is not None and not self._notified.done():
            self._notified.set_result(None)

    async def _notify(self, change: Change) -> None:
        if not self.listens:
            return
        self.call = change
        self._notified = self._cluster.environment.loop.create_future()
        self._on_call()
        self._driver.news()
        await self._notified
