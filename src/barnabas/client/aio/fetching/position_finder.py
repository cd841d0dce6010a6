"""Finds the start positions of partitions, each independently.

A missing partition, or an unreachable broker, delays no other partition. Responses for an
assignment that has changed meanwhile are dropped. Decodes nothing.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Final

from barnabas.client.aio.cluster.cluster import Cluster
from barnabas.client.aio.cluster.retries import ask_offsets
from barnabas.client.aio.fetching.group_offsets import CommittedOffsets
from barnabas.client.core.admin.descriptions import LATEST
from barnabas.client.core.cluster.cluster_view import ClusterView
from barnabas.client.core.consumer.consumer_options import ConsumerOptions
from barnabas.client.core.consumer.fetch_position import FetchPosition
from barnabas.client.core.consumer.fetcher import Fetcher
from barnabas.client.core.consumer.offset_reset import BY_AGE
from barnabas.errors import BrokerError, ErrorCode, KafkaError, RequestTimeout
from barnabas.types import TopicPartition

log = logging.getLogger(__name__)

_Work = Callable[[], Awaitable[None]]

_WARN_AT: Final = 3
"""The number of successive failures before a warning: leaders move, and topics are created, in fewer."""

_OVER_S: Final = 60.0
"""After this time without a failure, the next one counts as a new problem."""

_SURELY_ASKED: Final = 2
"""After so many responses, one of them answers a request that named the topic."""


@dataclass(slots=True)
class _Trouble:
    """How long a partition has been unreadable, and whether that was reported.

    `since` and `last` are in monotonic seconds, `updates` is the number of metadata updates by
    then.
    """

    turn: int
    since: float
    updates: int
    last: float
    failures: int = 0
    reported: KafkaError | None = None


class PositionFinder:
    """`on_news` is called when positions were found, or there is an error to raise."""

    def __init__(
        self,
        cluster: Cluster,
        options: ConsumerOptions,
        group: CommittedOffsets | None,
        fetcher: Fetcher,
        on_news: Callable[[], None],
    ) -> None:
        self._cluster = cluster
        self._options = options
        self._group = group
        self._fetcher = fetcher
        self._on_news = on_news
        self._loop = cluster.environment.loop
        self._asked: dict[TopicPartition, int] = {}
        self._troubles: dict[TopicPartition, _Trouble] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def look(self) -> None:
        """Request all positions that are not known, not pending, and not backing off."""
        now = self._loop.time()
        uncommitted: list[TopicPartition] = []
        by_leader: dict[int, dict[TopicPartition, int]] = {}
        for where, position in self._fetcher.positions.items():
            if position.known or now < position.not_before:
                continue
            if self._asked.get(where) == position.turn:
                continue
            if position.wanted is None and self._group is not None:
                uncommitted.append(where)
                continue
            end = self._options.reset if position.wanted is None else position.wanted
            if end is None:
                # Logged by a task, so that seeking right after assigning logs nothing.
                turns = self._turns([where])
                self._begin(turns, partial(self._refuse, where))
                continue
            leader = self._leader(where)
            if leader is not None:
                by_leader.setdefault(leader, {})[where] = end
        if uncommitted and self._group is not None:
            turns = self._turns(uncommitted)
            self._begin(turns, partial(self._find_committed, self._group, turns))
        for node_id, wanted in by_leader.items():
            turns = self._turns(wanted)
            self._begin(turns, partial(self._find_ends, node_id, wanted, turns))

    def failed(self, where: TopicPartition, error: KafkaError) -> None:
        """A partition cannot be read now: back off, and report that in time.

        An error that time does not fix is raised at once; others are logged and, after
        default.api.timeout.ms, raised too.
        """
        position = self._fetcher.positions.get(where)
        if position is None:
            return
        now = self._loop.time()
        trouble = self._trouble(where, position, now)
        trouble.failures += 1
        position.not_before = now + self._cluster.retry_wait(trouble.failures)
        if error.retriable:
            self._cluster.metadata.refresh()
        if trouble.failures == _WARN_AT and error.retriable:
            name = f"{where.topic}-{where.partition}"
            log.warning("partition cannot be read yet where=%s why=%s", name, error)
        self._tell(where, trouble, error, now)

    def leaderless(self, where: TopicPartition) -> None:
        """An assigned partition has no known leader: request metadata, or back off after a response."""
        view, now = self._cluster.view, self._loop.time()
        trouble = self._trouble(where, self._fetcher.positions[where], now)
        if where.topic in view.topics or view.updates >= trouble.updates + _SURELY_ASKED:
            self.failed(where, leaderless_error(view, where))
        else:
            self._cluster.metadata.refresh()
            silence = RequestTimeout(f"no response says where topic {where.topic} is")
            self._tell(where, trouble, self._cluster.limits.trouble() or silence, now)

    def forget_stale(self) -> None:
        """Drop errors about partitions that were moved or revoked since."""
        positions, failures = self._fetcher.positions, self._fetcher.failures
        for where, trouble in list(self._troubles.items()):
            position = positions.get(where)
            if position is None or position.turn != trouble.turn:
                del self._troubles[where]
                stale = [error for error in failures if error is trouble.reported]
                for error in stale:
                    failures.remove(error)

    def close(self) -> None:
        """Stop."""
        for task in self._tasks:
            task.cancel()

    def _leader(self, where: TopicPartition) -> int | None:
        """Return the leader of a partition; if none is known, request metadata."""
        view = self._cluster.view
        found = view.partition(*where)
        if found is not None and found.leader in view.brokers:
            return found.leader
        self.leaderless(where)
        return None

    def _trouble(self, where: TopicPartition, position: FetchPosition, now: float) -> _Trouble:
        trouble = self._troubles.get(where)
        over = trouble is not None and now - trouble.last > _OVER_S
        if trouble is None or over or trouble.turn != position.turn:
            trouble = _Trouble(position.turn, now, self._cluster.view.updates, now)
            self._troubles[where] = trouble
        trouble.last = now
        return trouble

    def _tell(
        self, where: TopicPartition, trouble: _Trouble, error: KafkaError, now: float
    ) -> None:
        if error.retriable:
            deadline = self._cluster.limits.deadline()
            if now - trouble.since < deadline.seconds:
                return
            trouble.since = now
            if str(deadline) not in error.why:  # Otherwise the request itself timed out.
                error = deadline.missed(f"reading {where.topic}-{where.partition}", error)
        elif any(waiting is trouble.reported for waiting in self._fetcher.failures):
            return  # The last error was not even raised yet.
        trouble.reported = error
        self._fetcher.failures.append(error)
        self._on_news()

    def _turns(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        return {where: self._fetcher.positions[where].turn for where in partitions}

    def _begin(self, turns: dict[TopicPartition, int], work: _Work) -> None:
        # A coroutine is created only when its task runs: one closed earlier would never be awaited.
        self._asked.update(turns)
        task = self._loop.create_task(self._bounded(turns, work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _bounded(self, turns: dict[TopicPartition, int], work: _Work) -> None:
        try:
            await work()
        except KafkaError as error:
            for where in self._current(turns):
                self.failed(where, error)
        finally:
            for where, turn in turns.items():
                if self._asked.get(where) == turn:
                    del self._asked[where]
        self._on_news()

    def _current(self, turns: dict[TopicPartition, int]) -> list[TopicPartition]:
        """Partitions neither moved nor revoked since."""
        positions = self._fetcher.positions
        return [
            where
            for where, turn in turns.items()
            if where in positions and positions[where].turn == turn and not positions[where].known
        ]

    async def _refuse(self, where: TopicPartition) -> None:
        raise unplaced(where)

    async def _find_committed(
        self, group: CommittedOffsets, turns: dict[TopicPartition, int]
    ) -> None:
        committed = await group.committed(turns, self._cluster.limits.deadline())
        for where in self._current(turns):
            if where in committed:
                self._resolved(where, committed[where].offset, committed[where].leader_epoch)
            elif self._options.reset is None:
                self.failed(where, unplaced(where))
            else:
                self._fetcher.positions[where].wanted = self._options.reset

    async def _find_ends(
        self, node_id: int, wanted: dict[TopicPartition, int], turns: dict[TopicPartition, int]
    ) -> None:
        then = self._cluster.environment.clock.time_ms() - self._options.reset_age_ms
        times = {where: max(0, then) if end == BY_AGE else end for where, end in wanted.items()}
        found, errors = await ask_offsets(
            self._cluster, node_id, times, committed_only=self._options.committed_only
        )
        for where in self._current(turns):
            if where in found and found[where].offset < 0:
                self._fetcher.positions[where].wanted = LATEST  # No record is as new as that.
            elif where in found:
                self._resolved(where, found[where].offset, found[where].leader_epoch)
            else:
                self.failed(where, errors[where])

    def _resolved(self, where: TopicPartition, offset: int, epoch: int) -> None:
        self._fetcher.resolved(where, self._fetcher.positions[where].turn, offset, epoch)
        self._troubles.pop(where, None)


def leaderless_error(view: ClusterView, where: TopicPartition) -> BrokerError:
    """Why a partition has no leader; mostly a retriable error."""
    name = f"{where.topic}-{where.partition}"
    topic = view.topics.get(where.topic)
    if topic is None or (topic.error and not topic.partitions):
        error = topic.error if topic is not None else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        return BrokerError(error, f"{name}: topic {where.topic} does not exist")
    found = view.partition(*where)
    if found is None:
        count = len(topic.partitions)
        what = f"partition {where.partition} does not exist: topic {where.topic} has {count}"
        return BrokerError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"{name}: {what}")
    return BrokerError(ErrorCode.LEADER_NOT_AVAILABLE, f"{name} has no leader now")


def unplaced(where: TopicPartition) -> BrokerError:
    """The error for a partition without a start position."""
    what = f"{where.topic}-{where.partition} has no position, and auto.offset.reset is none"
    return BrokerError(ErrorCode.OFFSET_OUT_OF_RANGE, f"{what}: seek first")
