"""How a consumer waits for records, and meanwhile does what its group requires."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sized
from contextlib import contextmanager
from inspect import isawaitable
from typing import Final, TypeVar

from barnabas.client.aio.cluster.time_limits import TimeLimits
from barnabas.client.aio.fetching.fetch_driver import FetchDriver
from barnabas.client.aio.membership.consumer_group import CallDue, ConsumerMembership
from barnabas.client.core.group.listener import RebalanceListener, tell
from barnabas.client.core.group.membership_results import Change
from barnabas.errors import KafkaError, LocalProtocolError

_Found = TypeVar("_Found", bound=Sized)
_POLLING: Final = "waiting for records"


class Polling:
    """`listener` is notified of changes; if the caller notifies it, calls end with `CallDue`."""

    def __init__(
        self, driver: FetchDriver, group: ConsumerMembership | None, limits: TimeLimits
    ) -> None:
        self.listener: RebalanceListener | None = None
        self._driver = driver
        self._limits = limits
        self._group = group
        self._waiting = False
        self._interruption: KafkaError | None = None
        self._telling: asyncio.Future[None] | None = None

    def interrupt(self, why: KafkaError) -> None:
        """End the current wait for records, or the next one, with this error."""
        self._interruption = why
        self._driver.news()

    def note_use(self) -> None:
        """Note that the user set or read positions."""
        if self._group is not None:
            self._group.note_use()

    def wants_attention(self) -> bool:
        """Whether there is more to do than to return records; also notes that the user polls."""
        return self._group is not None and self._group.wants_attention()

    async def attend(self) -> None:
        """Commit what is due, advance the group's protocol, notify the listener.

        Raises:
            CallDue: the caller must notify it.
            KafkaError: as in a poll.
        """
        due = True
        while due and self._group is not None:
            try:
                await self._until_notified()
                await self._group.attend()
                due = False
            except CallDue as call:
                if self.listener is None:
                    raise
                await self._tell_of(call.change)

    async def tell(self, change: Change | None) -> None:
        """Notify the listener of a change, if there are both, after the previous notification ends."""
        if change is not None and self.listener is not None:
            await self._until_notified()
            answer = tell(self.listener, change)
            if isawaitable(answer):
                await answer

    async def _tell_of(self, change: Change) -> None:
        """Notify the listener of what the group waits for.

        It runs to its end even if the poll is cancelled meanwhile; the next poll waits for it.
        """
        assert self._group is not None, "there is a change"
        assert self.listener is not None, "it was asked for"
        answer: object = None
        try:
            answer = tell(self.listener, change)
        finally:
            if not isawaitable(answer):
                self._group.listener_notified()
        if isawaitable(answer):
            self._telling = asyncio.ensure_future(self._listened(answer))
            await self._until_notified()

    async def _listened(self, answer: Awaitable[object]) -> None:
        assert self._group is not None, "there was a change"
        try:
            await answer
        finally:
            self._group.listener_notified()

    async def _until_notified(self) -> None:
        """Wait until the listener has finished, unless the listener itself is the caller."""
        telling = self._telling
        if telling is None or telling is asyncio.current_task():
            return
        try:
            await asyncio.shield(telling)
        finally:
            if telling.done() and self._telling is telling:
                self._telling = None

    def _check_interrupted(self) -> None:
        why, self._interruption = self._interruption, None
        if why is not None:
            raise why

    async def waited(self, look: Callable[[], _Found], timeout_s: float | None) -> _Found:
        """Return the first result of `look`; errors as in `attend`."""
        if self._waiting:
            raise LocalProtocolError("another task polls this consumer: it serves one at a time")
        self._waiting = True
        try:
            self._check_reads()
            with self._patiently(), self._limits.reporting(_POLLING, self.interrupt):
                deadline = self._driver.deadline(timeout_s)
                await self.attend()
                while not len(found := look()):
                    self._check_interrupted()
                    if not await self._driver.arrival(deadline):
                        break
                    self._check_interrupted()
                    await self.attend()
                return found
        finally:
            self._waiting = False

    async def arrival(self) -> None:
        """Wait for records, an error, or group work; raise the error."""
        self._check_reads()
        with self._patiently(), self._limits.reporting(_POLLING, self.interrupt):
            await self.attend()
            self._check_interrupted()
            await self._driver.arrival(None)
            self._check_interrupted()

    def _check_reads(self) -> None:
        """Without subscription or assignment nothing would ever arrive.

        A subscription may have no partitions yet.
        """
        subscribed = self._group is not None and self._group.reads
        if not (subscribed or self._driver.fetcher.positions or self._driver.closed):
            raise LocalProtocolError(
                "the consumer has neither a subscription nor assigned partitions: call subscribe "
                "or assign first"
            )

    @contextmanager
    def _patiently(self) -> Iterator[None]:
        """While the user waits here, max.poll.interval.ms does not run."""
        if self._group is None:
            yield
            return
        self._group.member.begin_wait()
        try:
            yield
        finally:
            self._group.member.end_wait()
