"""A share consumer's membership of its group, on the loop: heartbeats and leaving.

`core.shares.share_membership` decides.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from barnabas.client.aio.cluster.coordinator import Coordinator
from barnabas.client.core.arguments.deadline import Deadline
from barnabas.client.core.group.membership_results import NextStep
from barnabas.client.core.shares.share_membership import ShareMembership
from barnabas.errors import BrokerError, ErrorCode, KafkaError

log = logging.getLogger(__name__)

_SINCE: Final = 1
"""The version of ShareGroupHeartbeat since Kafka 4.1; 4.0 had another one, for early access."""


class ShareGroupMember:
    """`on_news` is called when the assignment may have changed, or with the error to raise."""

    def __init__(
        self,
        coordinator: Coordinator,
        machine: ShareMembership,
        max_idle_s: float,
        on_news: Callable[[KafkaError | None], None],
    ) -> None:
        self.machine = machine
        self._coordinator = coordinator
        self._cluster = coordinator.cluster
        self._loop = self._cluster.environment.loop
        self._max_idle_s = max_idle_s
        self._on_news = on_news
        self._polled_at = self._loop.time()
        self._now = asyncio.Event()
        self._idle = asyncio.Event()
        self._beating: asyncio.Task[None] | None = None

    def polled(self) -> None:
        """The user polls: send heartbeats from now on."""
        self._polled_at = self._loop.time()
        if self._beating is None or self._beating.done():
            self._beating = self._loop.create_task(self._beat())

    def subscribe(self, topics: list[str]) -> None:
        """Read these topics; the next heartbeat reports them."""
        self.machine.subscribe(topics)
        self._now.set()

    async def quiet(self) -> None:
        """Return when no request is pending; start what is due first."""
        await asyncio.sleep(0)
        if self._beating is not None and not self._beating.done():
            await self._idle.wait()

    async def leave(self, deadline: Deadline) -> None:
        """Leave the group. Raises nothing."""
        self.close()
        if not self.machine.joined:
            return
        request = self.machine.leave_request()
        self.machine.forgotten()
        try:
            async with asyncio.timeout_at(deadline.at):
                await self._coordinator.ask(request, at_least=_SINCE)
        except (KafkaError, TimeoutError) as error:
            log.debug("group not left group=%s why=%s", self.machine.group_id, error)

    def close(self) -> None:
        """Send no more heartbeats."""
        if self._beating is not None:
            self._beating.cancel()

    async def _beat(self) -> None:
        failures = 0
        while True:
            if self._loop.time() - self._polled_at > self._max_idle_s:
                await self._go_away()
                return
            failures = 0 if await self._ask() else failures + 1
            seconds = self.machine.interval_ms / 1000
            wait = self._cluster.retry_wait(failures) if failures else seconds
            self._idle.set()
            if failures or not self.machine.has_news:
                with suppress(TimeoutError):
                    async with asyncio.timeout(wait):
                        await self._now.wait()
            self._now.clear()
            self._idle.clear()

    async def _go_away(self) -> None:
        log.warning(
            "the group is left, because no poll came for max.poll.interval.ms group=%s",
            self.machine.group_id,
        )
        request = self.machine.leave_request()
        self.machine.forgotten()
        self._idle.set()
        with suppress(KafkaError):
            await self._coordinator.ask(request, at_least=_SINCE)

    async def _ask(self) -> bool:
        """Send one heartbeat; False if it must be repeated after a delay."""
        machine, topics = self.machine, self.machine.topics
        try:
            response = await self._coordinator.ask(machine.heartbeat_request(), at_least=_SINCE)
        except KafkaError as error:
            log.debug("no heartbeat group=%s why=%s", machine.group_id, error)
            if not error.retriable:
                machine.forgotten()
                self._on_news(error)
            return False
        step = machine.handle_response(topics, response)
        self._coordinator.look_at(response.error_code)
        if step is NextStep.FAIL:
            code = ErrorCode.of(response.error_code)
            what = f"group {machine.group_id}: {response.error_message or 'heartbeat'}"
            self._on_news(BrokerError(code, what))
        else:
            self._on_news(None)
        return step in {NextStep.CONTINUE, NextStep.REJOIN}
