"""Committed offsets of a group, saved and read as a member of it or from outside."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from barnabas.client.aio.asking import persist
from barnabas.client.aio.coordinator import Coordinator
from barnabas.client.core.group.subscription import NO_GENERATION
from barnabas.protocol.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from barnabas.protocol.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
)
from barnabas.types import TopicPartition

_WITHOUT_TOPIC_IDS: Final = 9


@dataclass(frozen=True, slots=True)
class Committer:
    """Who commits: a member in a generation, or somebody from outside of the group."""

    generation: int = NO_GENERATION
    member_id: str = ""
    instance_id: str | None = None


OUTSIDE: Final = Committer()


class GroupOffsets:
    """Where a group has got to, as its coordinator keeps it."""

    def __init__(self, coordinator: Coordinator, timeout_s: float) -> None:
        self._coordinator = coordinator
        self._cluster = coordinator.cluster
        self._group_id = coordinator.group_id
        self._timeout_s = timeout_s

    async def commit(
        self, offsets: Mapping[TopicPartition, int], committer: Committer = OUTSIDE
    ) -> None:
        """Save the offset of the next record to read, per partition.

        Raises:
            KafkaError: not all could be saved.
        """
        topics: dict[str, list[OffsetCommitRequestPartition]] = {}
        for where, offset in offsets.items():
            row = OffsetCommitRequestPartition(
                partition_index=where.partition, committed_offset=offset, committed_metadata=""
            )
            topics.setdefault(where.topic, []).append(row)
        request = OffsetCommitRequest(
            group_id=self._group_id,
            generation_id_or_member_epoch=committer.generation,
            member_id=committer.member_id,
            group_instance_id=committer.instance_id,
            topics=[
                OffsetCommitRequestTopic(name=name, partitions=rows)
                for name, rows in topics.items()
            ],
        )

        async def attempt() -> None:
            response = await self._coordinator.ask(request, at_most=_WITHOUT_TOPIC_IDS)
            for topic in response.topics:
                for row in topic.partitions:
                    self._check(row.error_code, f"{topic.name}-{row.partition_index}")

        await persist(self._cluster, self._timeout_s, self._what("committing"), attempt)

    async def committed(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        """The saved offsets; partitions without one are left out.

        Raises:
            KafkaError: they could not be had.
        """
        topics: dict[str, list[int]] = {}
        for where in partitions:
            topics.setdefault(where.topic, []).append(where.partition)
        request = OffsetFetchRequest(
            group_id=self._group_id,
            topics=[
                OffsetFetchRequestTopic(name=name, partition_indexes=rows)
                for name, rows in topics.items()
            ],
            groups=[
                OffsetFetchRequestGroup(
                    group_id=self._group_id,
                    topics=[
                        OffsetFetchRequestTopics(name=name, partition_indexes=rows)
                        for name, rows in topics.items()
                    ],
                )
            ],
        )

        async def attempt() -> dict[TopicPartition, int]:
            response = await self._coordinator.ask(request, at_most=_WITHOUT_TOPIC_IDS)
            found = {}
            for part in response.groups or [response]:
                self._check(part.error_code, "the group")
                for topic in part.topics:
                    for row in topic.partitions:
                        where = TopicPartition(topic.name, row.partition_index)
                        self._check(row.error_code, f"{where.topic}-{where.partition}")
                        if row.committed_offset >= 0:
                            found[where] = row.committed_offset
            return found

        return await persist(self._cluster, self._timeout_s, self._what("reading"), attempt)

    def _check(self, code: int, what: str) -> None:
        self._coordinator.check(code, f"offsets: {what}")

    def _what(self, doing: str) -> str:
        return f"group {self._group_id}, {doing}"
