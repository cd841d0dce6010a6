"""The state of the cluster that many pages need, asked for once in a few seconds."""

from collections.abc import Awaitable, Iterable, Mapping
from typing import Any, Final, TypeVar

from barnabas.aio import Admin
from barnabas.client.core.admin.descriptions import (
    EARLIEST,
    LATEST,
    ConfigEntry,
    LogDirectory,
    Resource,
)
from barnabas.client.core.admin.group_descriptions import GroupDescription
from barnabas.client.core.cluster.absence import meant
from barnabas.client.core.cluster.cluster_view import TopicView
from barnabas.console.cluster.kept_answer import KeptAnswer
from barnabas.console.cluster.survey_thread import SurveyThread
from barnabas.console.forms import missing
from barnabas.console.settings import ConsoleSettings
from barnabas.errors import BrokerError, ErrorCode
from barnabas.ports import Clock
from barnabas.types import TopicPartition

_Answer = TypeVar("_Answer")

_FRESH_S: Final = 3.0
"""How old lists may be that a page shows: less than somebody takes to look for a change."""

_SIZES_FRESH_S: Final = 10.0
_MOST_COMPARED: Final = 20_000


class ClusterState:
    """An admin client for what one page needs, and a thread for what concerns the whole cluster.

    All calls are of the loop that created it.
    """

    def __init__(self, settings: ConsoleSettings, clock: Clock) -> None:
        self.admin = Admin(settings.client_properties())
        ask = self.survey = SurveyThread(settings)
        self._topics = KeptAnswer(
            lambda: ask.ask(lambda admin: admin.describe_topics()), clock, _FRESH_S
        )
        self._groups = KeptAnswer(
            lambda: ask.ask(lambda admin: admin.survey_groups()), clock, _FRESH_S
        )
        self._dirs = KeptAnswer(
            lambda: ask.ask(lambda admin: admin.describe_log_dirs()), clock, _SIZES_FRESH_S
        )

    def begin(self) -> None:
        """Ask for what the first page needs."""
        self._topics.begin()
        self._dirs.begin()

    async def close(self) -> None:
        """Close the connections."""
        await self.admin.close()
        await self.survey.close()

    def forget(self) -> None:
        """Ask again: a page has just changed something."""
        kept: tuple[KeptAnswer[Any], ...] = (self._topics, self._groups, self._dirs)
        for each in kept:
            each.forget()

    async def topics(self) -> Mapping[str, TopicView]:
        """All topics by name, sorted, internal ones included."""
        return await self._topics.get()

    async def topic(self, name: str) -> TopicView:
        """One topic.

        Raises:
            HTTPException: it does not exist (404).
        """
        known = await self.topics()
        if name not in known:
            self._topics.forget()  # It may be new.
            known = await self.topics()
        if name not in known:
            near = meant(name, known) if len(known) < _MOST_COMPARED else ""
            raise missing(f"there is no topic {name}" + (f"; {near}" if near else ""))
        return known[name]

    async def groups(self) -> Mapping[str, GroupDescription]:
        """All groups with their members, by name."""
        return {each.group_id: each for each in await self._groups.get()}

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
            near = meant(name, await self.groups())
            raise missing(f"there is no group {name}" + (f"; {near}" if near else "")) from None

    async def log_dirs(self) -> Mapping[int, list[LogDirectory]]:
        """The log directories of each broker; none of brokers that do not report them."""
        return await _if_supported(self._dirs.get(), {})

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
        wanted = set(places)
        found: dict[TopicPartition, int] = {}
        for directories in (await self.log_dirs()).values():
            for directory in directories:
                for where in wanted & directory.sizes.keys():
                    found[where] = max(found.get(where, 0), directory.sizes[where])
        return found

    async def ends(self, places: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        """The ends of those partitions that exist and have a leader."""
        topics = await self.topics()
        wanted = [where for where in places if _is_led(topics, where)]
        if not wanted:
            return {}
        found = await self.admin.list_offsets(dict.fromkeys(wanted, LATEST))
        return {where: one.offset for where, one in found.items()}

    async def bounds(
        self, places: Iterable[TopicPartition]
    ) -> dict[TopicPartition, tuple[int, int]]:
        """First offset and end of partitions."""
        wanted = list(places)
        if not wanted:
            return {}
        first = await self.admin.list_offsets(dict.fromkeys(wanted, EARLIEST))
        last = await self.admin.list_offsets(dict.fromkeys(wanted, LATEST))
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
