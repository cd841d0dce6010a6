"""How a consumer waits for records, and does meanwhile what its group wants of it."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sized
from contextlib import contextmanager
from inspect import isawaitable
from typing import TypeVar

from barnabas.client.aio.fetching.fetch_driver import FetchDriver
from barnabas.client.aio.membership.consumer_group import CallDue, ConsumerGroup
from barnabas.client.core.group.listener import RebalanceListener, tell
from barnabas.client.core.group.membership import Change
from barnabas.errors import KafkaError, LocalProtocolError

_Found = TypeVar("_Found", bound=Sized)


class Polling:
    """`listener`: who is told of changes; where somebody else tells it, calls end with `CallDue`."""

    def __init__(self, driver: FetchDriver, group: ConsumerGroup | None) -> None:
        self.listener: RebalanceListener | None = None
        self._driver = driver
        self._group = group
        self._waiting = False
        self._interruption: KafkaError | None = None
        self._telling: asyncio.Future[None] | None = None

    def interrupt(self, why: KafkaError) -> None:
        """End the call that waits for records, or the next one that would, with this error."""
        self._interruption = why
        self._driver.news()

    def note_use(self) -> None:
        """The user set positions, or was told one."""
        if self._group is not None:
            self._group.note_use()

    def wants_attention(self) -> bool:
        """Whether there is more to do than to give records; says that the user polls."""
        return self._group is not None and self._group.wants_attention()

    async def attend(self) -> None:
        """Commit what is due, go on with the group, tell the listener.

        Raises:
            CallDue: somebody else must tell it.
            KafkaError: as a poll.
        """
        due = True
        while due and self._group is not None:
            try:
                await self._until_told()
                await self._group.attend()
                due = False
            except CallDue as call:
                if self.listener is None:
                    raise
                await self._tell_of(call.change)

    async def tell(self, change: Change | None) -> None:
        """Tell the listener of a change, if there are both, when it is done with the one before."""
        if change is not None and self.listener is not None:
            await self._until_told()
            answer = tell(self.listener, change)
            if isawaitable(answer):
                await answer

    async def _tell_of(self, change: Change) -> None:
        """Tell the listener what the group waits for.

        It goes on to its end where the poll is cancelled meanwhile; the next one waits for it.
        """
        assert self._group is not None, "there is a change"
        assert self.listener is not None, "it was asked for"
        answer: object = None
        try:
            answer = tell(self.listener, change)
        finally:
            if not isawaitable(answer):
                self._group.told()
        if isawaitable(answer):
            self._telling = asyncio.ensure_future(self._listened(answer))
            await self._until_told()

    async def _listened(self, answer: Awaitable[object]) -> None:
        assert self._group is not None, "there was a change"
        try:
            await answer
        finally:
            self._group.told()

    async def _until_told(self) -> None:
        """Wait until the listener is done with what it is being told, if that is not who asks."""
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
        """What `look` finds as soon as that is something; errors as `attend`."""
        if self._waiting:
            raise LocalProtocolError("another task polls this consumer: it serves one at a time")
        self._waiting = True
        try:
            self._check_reads()
            with self._patiently():
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
        """Wait until something came: records, an error, something to attend to; errors as that."""
        self._check_reads()
        with self._patiently():
            await self.attend()
            self._check_interrupted()
            await self._driver.arrival(None)
            self._check_interrupted()

    def _check_reads(self) -> None:
        """Nothing would ever come. A subscription without partitions yet is another thing."""
        subscribed = self._group is not None and self._group.reads
        if not (subscribed or self._driver.fetcher.positions or self._driver.closed):
            raise LocalProtocolError(
                "the consumer is not subscribed to any topics or assigned any partitions: "
                "call subscribe or assign before it reads"
            )

    @contextmanager
    def _patiently(self) -> Iterator[None]:
        """While the user waits here, that takes nothing of max.poll.interval.ms."""
        if self._group is None:
            yield
            return
        self._group.member.begin_wait()
        try:
            yield
        finally:
            self._group.member.end_wait()
