"""A consumer's membership of its group on the loop: rebalances, heartbeats, leaving.

A rebalance begins only when the user polls, as in Kafka's client: what the last poll gave counts as
done then. From there it goes on by itself, but for what a listener must be told, which waits as `call`
for the next poll. `core.group.membership` decides.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from typing import Final

from barnabas.client.aio.coordinator import Coordinator
from barnabas.client.aio.fetch_driver import FetchDriver
from barnabas.client.aio.group_offsets import Committer, GroupOffsets
from barnabas.client.core.group.assignor import Counts
from barnabas.client.core.group.member_states import MemberState
from barnabas.client.core.group.membership import Change, Membership, Next, Told
from barnabas.client.core.group.options import GroupOptions
from barnabas.errors import BrokerError, ErrorCode, KafkaError
from barnabas.protocol.leave_group import LeaveGroupRequest, MemberIdentity
from barnabas.types import TopicPartition

log = logging.getLogger(__name__)

_LEAVE_S: Final = 5.0
_TURNS: Final = 3
_LONGER_S: Final = 5.0
"""How much longer than the rebalance may take its answers are waited for."""


class GroupMember:
    """`call`: what the listener is to be told, if anything; `listens`: whether there is one.

    `told` must follow each. `commits` saves what is done before partitions are given up, where that
    happens by itself.
    """

    def __init__(
        self,
        coordinator: Coordinator,
        offsets: GroupOffsets,
        options: GroupOptions,
        driver: FetchDriver,
        commits: Callable[[], Awaitable[None]] | None,
    ) -> None:
        self.machine = Membership(options)
        self.listens = False
        self.call: Change | None = None
        self._told: asyncio.Future[None] | None = None
        self._coordinator = coordinator
        self._cluster = coordinator.cluster
        self._offsets = offsets
        self._driver = driver
        self._commits = commits
        self._loop = self._cluster.around.loop
        self._fatal: KafkaError | None = None
        self._subscribed = False
        self._polling = 0
        self._polled_at = self._loop.time()
        self._seen = 0
        self._missing = 0
        self._rebalancing: asyncio.Task[None] | None = None
        self._beating: asyncio.Task[None] | None = None
        self._asking = False
        self._quiet = asyncio.Event()
        self._quiet.set()
        self._cluster.on_change.append(self._look_at_metadata)

    # ---- what the consumer does -----------------------------------------------------------

    def subscribe(self, topics: Iterable[str]) -> None:
        """Be a member that wants these topics, from the next poll on."""
        self._subscribed = True
        self.machine.subscribe(topics)
        self._cluster.topics = set(self.machine.topics)
        self._cluster.refresh()
        self._polled_at = self._loop.time()
        if self._beating is None:
            self._beating = self._loop.create_task(self._beat())
        self._driver.news()

    @property
    def wants_poll(self) -> bool:
        """Whether there is something to do that only a poll may begin."""
        if self.call is not None or self._fatal is not None:
            return True
        return self._subscribed and self._rebalancing is None and self.machine.due

    @property
    def rebalancing(self) -> bool:
        """Whether a rebalance is under way."""
        return self._rebalancing is not None

    def polled(self, now: float) -> bool:
        """Take note that the user polls; whether there is something to do that a poll begins."""
        self._polled_at = now
        return self.wants_poll

    def begin_wait(self) -> None:
        """The user waits in a poll: that may take any time."""
        self._polling += 1

    def end_wait(self) -> None:
        """The user does so no longer."""
        self._polling -= 1
        self._polled_at = self._loop.time()

    def begin(self) -> None:
        """Begin a rebalance, if one is due.

        Raises:
            BrokerError: another member has the same group.instance.id; there is no way back.
        """
        if self._fatal is not None:
            raise self._fatal
        if self.wants_poll and self._rebalancing is None:
            change = self.machine.before_join()
            if change is not None:
                self._pause(change)  # This poll, too, is to give nothing of it.
            self._rebalancing = self._loop.create_task(self._rebalance())
            self._rebalancing.add_done_callback(self._rebalanced)
            self._note_busy()

    def told(self) -> None:
        """The listener was told of `call`: the rebalance goes on."""
        self.call = None
        self._note_busy()
        if self._told is not None and not self._told.done():
            self._told.set_result(None)

    async def commit(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Save positions as a member.

        Raises:
            KafkaError: not all could be saved; where the group goes on without this member, with
                UNKNOWN_MEMBER_ID, ILLEGAL_GENERATION or REBALANCE_IN_PROGRESS.
        """
        machine = self.machine
        generation = machine.generation
        if generation < 0:
            what = f"group {machine.options.group_id}: this consumer is no member now; poll joins"
            raise BrokerError(ErrorCode.UNKNOWN_MEMBER_ID, what)
        who = Committer(generation, machine.member_id, machine.options.instance_id)
        try:
            await self._offsets.commit(offsets, who)
        except BrokerError as error:
            self._heard(error.code, generation, error)
            raise

    def farewell(self) -> Change | None:
        """Begin to leave for good: what a listener is to be told before `leave`, if anything."""
        self._subscribed = False
        self._cancel_tasks()
        change = self.machine.before_leave()
        if change is not None:
            self.machine.gave_up(change)
        return change

    async def leave(self) -> None:
        """Leave the group, so that others need not wait for the session's end. Raises nothing.

        A static member is still expected (KIP-345): nothing is said for it.
        """
        machine = self.machine
        away, member_id = machine.state is MemberState.AWAY, machine.member_id
        if machine.state is MemberState.JOINING or machine.state is MemberState.SYNCING:
            self._coordinator.hang_up()  # What is asked there would be answered after the join.
        machine.forgotten()
        if away or not member_id or machine.options.instance_id is not None:
            return
        request = LeaveGroupRequest(
            group_id=machine.options.group_id,
            member_id=member_id,
            members=[MemberIdentity(member_id=member_id, reason="the consumer ends")],
        )
        with suppress(KafkaError, TimeoutError):
            async with asyncio.timeout(_LEAVE_S):
                await self._coordinator.ask(request)

    def close(self) -> None:
        """End what is under way, and say nothing."""
        self._cancel_tasks()
        self._cluster.on_change.remove(self._look_at_metadata)

    async def quiet(self) -> None:
        """Return when nothing is under way that needs no poll; what is due begins before."""
        for _ in range(_TURNS):
            await asyncio.sleep(0)
        await self._quiet.wait()

    # ---- a rebalance ----------------------------------------------------------------------

    async def _rebalance(self) -> None:
        failures = 0
        while self._subscribed and self.machine.due:
            change = self.machine.before_join()
            if change is not None:
                await self._give_up(change)
            try:
                found = await self._round()
            except KafkaError as error:
                if not error.retriable:
                    self._fail(error)
                    return
                log.debug("group not joined group=%s why=%s", self._coordinator.group_id, error)
                found = Next.LATER
            if found in (Next.LATER, Next.ELSEWHERE):
                failures += 1
                await asyncio.sleep(self._cluster.retry_wait(failures))
            elif found is Next.ON:
                failures = 0

    async def _round(self) -> Next:
        """Join and sync once.

        Raises:
            KafkaError: no answer came, or one that the user must be told.
        """
        machine = self.machine
        seconds = machine.options.rebalance_ms / 1000 + _LONGER_S
        joined = await self._coordinator.ask(machine.join_request(), timeout_s=seconds)
        found = machine.joined(joined)
        if found is not Next.ON:
            return self._look_at(found, joined.error_code, "joining")
        if machine.led is not None:
            await self._cluster.know(machine.led.topics)
            self._cluster.topics |= machine.led.topics
        request = machine.sync_request(self._counts())
        synced = await self._coordinator.ask(request, timeout_s=seconds)
        found, changes = machine.synced(synced)
        if found is not Next.ON:
            return self._look_at(found, synced.error_code, "asking for partitions")
        log.info(
            "partitions assigned group=%s generation=%d count=%d",
            machine.options.group_id, machine.generation, len(machine.held),
        )  # fmt: skip
        for change in changes:
            if change.told is Told.ASSIGNED:
                self._driver.assign([*self._driver.fetcher.positions, *change.partitions])
                await self._tell(change)
            else:
                await self._give_up(change)
        self._driver.news()
        return Next.ON

    async def _give_up(self, change: Change) -> None:
        self._pause(change)
        if change.told is Told.REVOKED and self._commits is not None:
            await self._commits()
        await self._tell(change)
        self.machine.gave_up(change)
        gone = set(change.partitions)
        positions = self._driver.fetcher.positions
        self._driver.assign([where for where in positions if where not in gone])

    def _pause(self, change: Change) -> None:
        positions = self._driver.fetcher.positions
        for where in change.partitions:
            if where in positions:
                positions[where].paused = True

    async def _tell(self, change: Change) -> None:
        if not self.listens:
            return
        self.call = change
        self._told = self._loop.create_future()
        self._note_busy()
        self._driver.news()
        await self._told

    def _rebalanced(self, task: "asyncio.Task[None]") -> None:
        if self._rebalancing is task:
            self._rebalancing = None
            self._note_busy()
        error = None if task.cancelled() else task.exception()
        if error is not None:
            failure = KafkaError(f"group {self._coordinator.group_id}: rebalancing: {error!r}")
            failure.__cause__ = error
            self._fail(failure)
        self._driver.news()

    def _look_at(self, found: Next, code: int, what: str) -> Next:
        self._coordinator.look_at(code)
        if found is Next.FAIL:
            error = BrokerError(
                code or ErrorCode.INCONSISTENT_GROUP_PROTOCOL,
                f"group {self._coordinator.group_id}: {what}",
            )
            if error.code is ErrorCode.FENCED_INSTANCE_ID:
                self._fatal = error
            raise error
        return found

    def _fail(self, error: KafkaError) -> None:
        if self._fatal is None:
            self._driver.fetcher.failures.append(error)
        self._driver.news()

    def _counts(self) -> Counts:
        """How many partitions the group's topics have."""
        led, topics = self.machine.led, self._cluster.view.topics
        found = {}
        for name in led.topics if led is not None else ():
            view = topics.get(name)
            if view is not None and view.error is not ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
                found[name] = len(view.partitions)
        return found

    # ---- in between -----------------------------------------------------------------------

    async def _beat(self) -> None:
        """Heartbeat for as long as the user polls; leave when that was too long ago."""
        machine, failures = self.machine, 0
        while True:
            wait = self._cluster.retry_wait(failures) if failures else machine.options.heartbeat_s
            await asyncio.sleep(wait)
            if machine.state is not MemberState.STABLE:
                failures = 0
                continue
            if self._is_overdue():
                await self._go_away()
                continue
            generation = machine.generation
            self._asking = True
            self._note_busy()
            try:
                reply = await self._coordinator.ask(machine.heartbeat_request())
            except KafkaError as error:
                failures += 1
                log.debug("no heartbeat group=%s why=%s", self._coordinator.group_id, error)
            else:
                failures = 0
                self._heard(reply.error_code, generation)
            finally:
                self._asking = False
                self._note_busy()

    def _is_overdue(self) -> bool:
        waited_ms = (self._loop.time() - self._polled_at) * 1000
        return not self._polling and waited_ms > self.machine.options.rebalance_ms

    async def _go_away(self) -> None:
        log.warning(
            "left group=%s: no poll for longer than max.poll.interval.ms=%d; the next one joins again",
            self._coordinator.group_id, self.machine.options.rebalance_ms,
        )  # fmt: skip
        if self._rebalancing is not None:
            self._rebalancing.cancel()
            self._rebalancing = self.call = None
        await self.leave()

    def _heard(self, code: int, generation: int, error: BrokerError | None = None) -> None:
        found = self.machine.heard(code, generation)
        self._coordinator.look_at(code)
        if found is Next.FAIL and error is None:
            error = BrokerError(code, f"group {self._coordinator.group_id}: heartbeat")
            if error.code is ErrorCode.FENCED_INSTANCE_ID:
                self._fatal = error
            self._fail(error)
        elif found is not Next.ON:
            self._driver.news()

    def _look_at_metadata(self) -> None:
        view = self._cluster.view
        if not self._subscribed or view.updates == self._seen:
            return
        self._seen = view.updates
        self.machine.counted(self._counts())
        unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        missing = [
            name
            for name in self.machine.topics
            if name not in view.topics or view.topics[name].error is unknown
        ]
        self._missing = self._missing + 1 if missing else 0
        if missing:
            self._loop.call_later(self._cluster.retry_wait(self._missing), self._cluster.refresh)
        if self.machine.rejoin_why:
            self._driver.news()

    def _note_busy(self) -> None:
        if self._asking or (self._rebalancing is not None and self.call is None):
            self._quiet.clear()
        else:
            self._quiet.set()

    def _cancel_tasks(self) -> None:
        for task in (self._rebalancing, self._beating):
            if task is not None:
                task.cancel()
        self._rebalancing = self._beating = self.call = None
        self._note_busy()
