"""The state of the cluster for pages, requested once in a few seconds."""

import asyncio
from collections.abc import Awaitable, Iterable, Mapping
from typing import Any, Final, TypeVar

from barnabas.aio import Admin
from barnabas.client.core.admin.descriptions import (
    EARLIEST,
    LATEST,
    ClusterDescription,
    ConfigEntry,
    LogDirectory,
    OffsetAndTimestamp,
    Resource,
)
from barnabas.client.core.admin.group_descriptions import GroupDescription
from barnabas.client.core.cluster.cluster_view import TopicView
from barnabas.client.core.cluster.missing_partitions import similar_names
from barnabas.console.cluster.cached_answer import CachedAnswer
from barnabas.console.cluster.survey_thread import SurveyThread
from barnabas.console.forms import missing
from barnabas.console.settings import ConsoleSettings
from barnabas.errors import BrokerError, ErrorCode
from barnabas.ports import Clock
from barnabas.types import TopicPartition

_Answer = TypeVar("_Answer")

_FRESH_S: Final = 3.0
"""How old the lists on a page may be: less than a person takes to look for a change."""

_SIZES_FRESH_S: Final = 10.0
_SOON_S: Final = 0.05
"""How long a page waits for a list of the whole cluster; then it is shown without the list."""

_NO_TOPIC: Final = (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.INVALID_TOPIC_EXCEPTION)

_MOST_COMPARED: Final = 20_000


class ClusterState:
    """An admin client for what one page needs, and a thread for what concerns the whole cluster.

    All calls are of the loop that created it.
    """

    def __init__(self, settings: ConsoleSettings, clock: Clock) -> None:
        self.admin = Admin(settings.client_properties())
        ask = self.survey = SurveyThread(settings)
        # Of its own, so that no page waits for what is sampled in the background.
        self.sampling = SurveyThread(settings)
        self._topics = CachedAnswer(
            lambda: ask.ask(lambda admin: admin.describe_topics()), clock, _FRESH_S
        )
        self._groups = CachedAnswer(
            lambda: ask.ask(lambda admin: admin.survey_groups()), clock, _FRESH_S
        )
        self._described = CachedAnswer(self.admin.describe_cluster, clock, _FRESH_S)
        self._dirs = CachedAnswer(
            lambda: ask.ask(lambda admin: admin.describe_log_dirs()), clock, _SIZES_FRESH_S
        )

    def begin(self) -> None:
        """Ask for what the first page needs."""
        self._topics.begin()

    async def close(self) -> None:
        """Close the connections."""
        await self.admin.close()
        await self.survey.close()
        await self.sampling.close()

    def forget(self) -> None:
        """Ask again: a page has just changed something."""
        kept: tuple[CachedAnswer[Any], ...] = (self._topics, self._groups, self._dirs)
        for each in kept:
            each.forget()

    async def topics(self) -> Mapping[str, TopicView]:
        """All topics by name, sorted, internal ones included."""
        return await self._topics.get()

    async def topics_soon(self) -> Mapping[str, TopicView] | None:
        """As `topics`; None if the list takes long to come."""
        return await self._topics.soon(_SOON_S)

    async def topic(self, name: str) -> TopicView:
        """One topic.

        Raises:
            HTTPException: it does not exist (404).
        """
        known = await self.topics_soon()
        if known is not None and name in known:
            return known[name]
        # It may be new, or the list of all takes long.
        found = await self._named(name)
        if known is not None:
            self._topics.forget()
        if found is not None:
            return found
        known = await self.topics_soon()
        near = similar_names(name, known) if known and len(known) < _MOST_COMPARED else ""
        raise missing(f"there is no topic {name}" + (f"; {near}" if near else ""))

    async def _named(self, name: str) -> TopicView | None:
        """A topic, requested by its name; None if there is none.

        Brokers before 0.11 would create it, so all topics are requested. They lack DescribeConfigs.
        """
        try:
            await self.admin.describe_configs(Resource.TOPIC, name)
        except BrokerError as error:
            if error.code is ErrorCode.UNSUPPORTED_VERSION:
                self._topics.forget()
                return (await self.topics()).get(name)
        try:
            return (await self.admin.describe_topics([name]))[name]
        except BrokerError as error:
            if error.code not in _NO_TOPIC:
                raise
            return None

    async def groups(self) -> Mapping[str, GroupDescription]:
        """All groups with their members, by name."""
        return {each.group_id: each for each in await self._groups.get()}

    async def groups_soon(self) -> Mapping[str, GroupDescription] | None:
        """As `groups`; None if the list takes long to come."""
        found = await self._groups.soon(_SOON_S)
        return None if found is None else {each.group_id: each for each in found}

    async def group(self, name: str) -> GroupDescription:
        """One group, as of now.

        Raises:
            HTTPException: it does not exist (404).
        """
        try:
            return (await self.admin.describe_groups([name]))[name]
        except BrokerError as error:
            if error.code is not ErrorCode.GROUP_ID_NOT_FOUND:
                raise
            near = similar_names(name, await self.groups())
            raise missing(f"there is no group {name}" + (f"; {near}" if near else "")) from None

    async def log_dirs(self) -> Mapping[int, list[LogDirectory]]:
        """The log directories of each broker; none of brokers that do not report them."""
        return await _if_supported(self._dirs.get(), {})

    async def log_dirs_soon(self) -> Mapping[int, list[LogDirectory]] | None:
        """As `log_dirs`; None if the list takes long to come."""
        return await _if_supported(self._dirs.soon(_SOON_S), {})

    async def described_soon(self) -> ClusterDescription | None:
        """The brokers, the controller and the cluster id; None if that takes long to come."""
        return await self._described.soon(_SOON_S)

    async def properties(self, resource: Resource, name: str) -> Mapping[str, ConfigEntry]:
        """The properties of a topic or broker by name, with prose; none of brokers before 0.11."""
        asking = self.admin.describe_configs(resource, name, documentation=True)
        return await _if_supported(asking, {})

    async def counts_bytes(self, topic: str) -> bool:
        """Whether a topic's offsets are byte positions, as in Kafka 0.7."""
        asking = self.admin.describe_configs(Resource.TOPIC, topic)
        entries: Mapping[str, ConfigEntry] = await _if_supported(asking, {})
        entry = entries.get("message.format.version")
        return entry is not None and entry.value == "0.7"

    async def sizes(self, places: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        """The bytes of partitions on the broker where they have most; those unknown are omitted."""
        wanted = list(places)
        if not wanted:
            return {}
        found: dict[TopicPartition, int] = {}
        asking = self.admin.describe_log_dirs(wanted)
        brokers: Mapping[int, list[LogDirectory]] = await _if_supported(asking, {})
        for directories in brokers.values():
            for directory in directories:
                for where, size in directory.sizes.items():
                    found[where] = max(found.get(where, 0), size)
        return found

    async def ends(self, places: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        """The ends of those partitions that exist and have a leader."""
        asked = list(places)
        topics = await self.topics() if asked else {}
        wanted = [where for where in asked if _is_led(topics, where)]
        if not wanted:
            return {}
        found = await self.admin.list_offsets(dict.fromkeys(wanted, LATEST))
        return {where: one.offset for where, one in found.items()}

    async def committed_ends(self, places: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        """The start of the first open transaction of each partition, or the partition's end.

        None for brokers before 0.11, which have no transactions.
        """
        wanted = dict.fromkeys(places, LATEST)
        if not wanted:
            return {}
        asking = self.admin.list_offsets(wanted, committed_only=True)
        found: Mapping[TopicPartition, OffsetAndTimestamp] = await _if_supported(asking, {})
        return {where: one.offset for where, one in found.items()}

    async def bounds(
        self, places: Iterable[TopicPartition]
    ) -> dict[TopicPartition, tuple[int, int]]:
        """First offset and end of partitions."""
        wanted = list(places)
        if not wanted:
            return {}
        # Two requests, because a broker takes a partition once in each.
        first, last = await asyncio.gather(
            self.admin.list_offsets(dict.fromkeys(wanted, EARLIEST)),
            self.admin.list_offsets(dict.fromkeys(wanted, LATEST)),
        )
        return {where: (first[where].offset, last[where].offset) for where in wanted}


def led(view: TopicView) -> list[TopicPartition]:
    """The partitions that have a leader: the others answer no request."""
    return [TopicPartition(view.name, one.partition) for one in view.partitions if one.leader >= 0]


def _is_led(topics: Mapping[str, TopicView], where: TopicPartition) -> bool:
    view = topics[where.topic].numbered(where.partition) if where.topic in topics else None
    return view is not None and view.leader >= 0


async def _if_supported(asking: Awaitable[_Answer], otherwise: _Answer) -> _Answer:
    """The answer, or another one where the broker is too old for the question."""
    try:
        return await asking
    except BrokerError as error:
        if error.code is not ErrorCode.UNSUPPORTED_VERSION:
            raise
        return otherwise
