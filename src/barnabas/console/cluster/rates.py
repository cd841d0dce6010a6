"""Rates and lag of the whole cluster, sampled while somebody watches."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from barnabas.client.core.admin.descriptions import LATEST
from barnabas.client.core.cluster.cluster_view import TopicView
from barnabas.console.cluster.cluster_state import ClusterState, led
from barnabas.errors import KafkaError
from barnabas.ports import Clock
from barnabas.types import TopicPartition

_EVERY_S: Final = 2.0
_SHARE: Final = 20
"""Sampling takes at most one part in so many of the time: a cluster of many topics is sampled less
often."""

_UNWATCHED_S: Final = 30.0
_BUSIEST: Final = 10


@dataclass(frozen=True, slots=True)
class ClusterRates:
    """Records per second since the sample before (None: there was none), and the lag of all groups.

    Records out are the progress of committed positions: brokers do not count what is read.
    """

    records_in: float | None = None
    records_out: float | None = None
    lag: int | None = None
    groups: int | None = None
    busiest: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class _Sample:
    at: float
    ends: Mapping[TopicPartition, int]
    positions: Mapping[tuple[str, TopicPartition], int]
    share_lag: int
    groups: int | None


class RateSampler:
    """Samples the cluster every two seconds or less often, until no page has requested them for a while."""

    def __init__(self, state: ClusterState, clock: Clock) -> None:
        self._state = state
        self._clock = clock
        self._latest = ClusterRates()
        self._before: _Sample | None = None
        self._asked = 0.0
        self._task: asyncio.Task[None] | None = None
        self._news = asyncio.Event()
        self._waiting = 0
        self.problem = ""

    async def close(self) -> None:
        """Stop sampling."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    def latest(self) -> ClusterRates:
        """The newest rates, at once; sampling continues, or begins."""
        self._asked = self._clock.monotonic()
        if self._task is None or self._task.done():
            self._before, self._latest = None, ClusterRates()
            self._task = asyncio.get_running_loop().create_task(self._sample_on())
        return self._latest

    async def following(self) -> ClusterRates:
        """The next rates, when they are there."""
        self.latest()
        self._waiting += 1
        try:
            await self._news.wait()
        finally:
            self._waiting -= 1
        return self._latest

    async def _sample_on(self) -> None:
        while self._waiting or self._clock.monotonic() - self._asked < _UNWATCHED_S:
            begun = self._clock.monotonic()
            try:
                self._take(await self._sample())
                self.problem = ""
            except KafkaError as error:
                self.problem = str(error)
            self._news.set()
            self._news = asyncio.Event()
            took = self._clock.monotonic() - begun
            await asyncio.sleep(max(_EVERY_S, took * _SHARE) - took)

    async def _sample(self) -> _Sample:
        topics = await self._state.topics()
        ends = await self._ends(topics)
        at = self._clock.monotonic()
        try:
            groups = list((await self._state.groups()).values())
            saved = await self._state.sampling.ask(lambda admin: admin.survey_offsets(groups))
            shared = await self._state.sampling.ask(
                lambda admin: admin.survey_share_offsets(groups)
            )
        except KafkaError as error:
            # Topics are shown also if a broker is too old for groups, or refuses them.
            self.problem = str(error)
            return _Sample(at, ends, {}, 0, None)
        positions = {
            (group, where): one.offset
            for group, offsets in saved.items()
            for where, one in offsets.items()
        }
        share_lag = sum(one.lag or 0 for offsets in shared.values() for one in offsets.values())
        return _Sample(at, ends, positions, share_lag, len(groups))

    async def _ends(self, topics: Mapping[str, TopicView]) -> dict[TopicPartition, int]:
        places = [where for view in topics.values() if not view.internal for where in led(view)]
        if not places:
            return {}
        wanted = dict.fromkeys(places, LATEST)
        found = await self._state.sampling.ask(lambda admin: admin.list_offsets(wanted))
        return {where: one.offset for where, one in found.items()}

    def _take(self, now: _Sample) -> None:
        before, self._before = self._before, now
        lag = now.share_lag + sum(
            max(0, now.ends[where] - offset)
            for (_, where), offset in now.positions.items()
            if where in now.ends
        )
        known = None if now.groups is None else lag
        if before is None:
            self._latest = ClusterRates(lag=known, groups=now.groups)
            return
        seconds = max(now.at - before.at, 0.001)
        by_topic: dict[str, int] = {}
        for where, end in now.ends.items():
            grown = end - before.ends.get(where, end)
            if grown > 0:
                by_topic[where.topic] = by_topic.get(where.topic, 0) + grown
        read = sum(
            max(0, offset - before.positions.get(key, offset))
            for key, offset in now.positions.items()
        )
        busiest = sorted(by_topic.items(), key=lambda one: (-one[1], one[0]))[:_BUSIEST]
        self._latest = ClusterRates(
            sum(by_topic.values()) / seconds,
            None if now.groups is None else read / seconds,
            known,
            now.groups,
            tuple((name, grown / seconds) for name, grown in busiest),
        )
