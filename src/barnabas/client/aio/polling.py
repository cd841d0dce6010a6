"""How a consumer waits for records, and does meanwhile what its group wants of it."""

from collections.abc import Callable, Iterator, Sized
from contextlib import contextmanager
from inspect import isawaitable
from typing import TypeVar

from barnabas.client.aio.consumer_group import CallDue, ConsumerGroup
from barnabas.client.aio.fetch_driver import FetchDriver
from barnabas.client.core.group.listener import RebalanceListener, tell
from barnabas.client.core.group.membership import Change
from barnabas.errors import LocalProtocolError

_Found = TypeVar("_Found", bound=Sized)


class Polling:
    """`listener`: who is told of changes; where somebody else tells it, calls end with `CallDue`."""

    def __init__(self, driver: FetchDriver, group: ConsumerGroup | None) -> None:
        self.listener: RebalanceListener | None = None
        self._driver = driver
        self._group = group
        self._waiting = False

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
                await self._group.attend()
                due = False
            except CallDue as call:
                if self.listener is None:
                    raise
                try:
                    await self.tell(call.change)
                finally:
                    self._group.told()

    async def tell(self, change: Change | None) -> None:
        """Tell the listener of a change, if there are both."""
        if change is not None and self.listener is not None:
            answer = tell(self.listener, change)
            if isawaitable(answer):
                await answer

    async def waited(self, look: Callable[[], _Found], timeout_s: float | None) -> _Found:
        """What `look` finds as soon as that is something; errors as `attend`."""
        if self._waiting:
            raise LocalProtocolError("another task polls this consumer: it serves one at a time")
        self._waiting = True
        try:
            with self._patiently():
                deadline = self._driver.deadline(timeout_s)
                await self.attend()
                while not len(found := look()):
                    if not await self._driver.arrival(deadline):
                        break
                    await self.attend()
                return found
        finally:
            self._waiting = False

    async def arrival(self) -> None:
        """Wait until something came: records, an error, something to attend to; errors as that."""
        with self._patiently():
            await self.attend()
            await self._driver.arrival(None)

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
