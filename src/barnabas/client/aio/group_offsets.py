"""Committed offsets of a group, without being a member of it."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from barnabas.client.aio.asking import persist
from barnabas.client.aio.cluster import Cluster
from barnabas.errors import BrokerError, ErrorCode
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.find_coordinator import (
    Coordinator,
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)
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
_LOST: Final = (ErrorCode.NOT_COORDINATOR, ErrorCode.COORDINATOR_NOT_AVAILABLE)


class GroupOffsets:
    """Where a group has got to, as its coordinator keeps it."""

    def __init__(self, cluster: Cluster, group_id: str, timeout_s: float) -> None:
        self._cluster = cluster
        self._group_id = group_id
        self._timeout_s = timeout_s
        self._coordinator: int | None = None

    async def commit(self, offsets: Mapping[TopicPartition, int]) -> None:
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
            topics=[
                OffsetCommitRequestTopic(name=name, partitions=rows)
                for name, rows in topics.items()
            ],
        )

        async def attempt() -> None:
            response = await self._ask(ApiKey.OFFSET_COMMIT, request)
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
            response = await self._ask(ApiKey.OFFSET_FETCH, request)
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

    async def _ask(self, api: ApiKey, request: object) -> Any:
        if self._coordinator is None:
            self._coordinator = await self._find()
        link = await self._cluster.ready_link(self._coordinator)
        version = link.protocol.version_of(api, at_most=_WITHOUT_TOPIC_IDS)
        return await self._cluster.ask_over(link, request, version=version)

    async def _find(self) -> int:
        request = FindCoordinatorRequest(key=self._group_id, coordinator_keys=[self._group_id])
        response: Any = await self._cluster.ask(request)
        assert isinstance(response, FindCoordinatorResponse)
        rows: list[Coordinator | FindCoordinatorResponse] = [*response.coordinators] or [response]
        for row in rows:
            self._check(row.error_code, row.error_message or "finding the coordinator")
            if row.node_id not in self._cluster.view.brokers:
                await self._cluster.updated()
            return row.node_id
        raise BrokerError(ErrorCode.COORDINATOR_NOT_AVAILABLE, self._what("finding"))

    def _check(self, code: int, what: str) -> None:
        if code:
            if code in _LOST:
                self._coordinator = None
            raise BrokerError(code, f"{self._what('offsets')}: {what}")

    def _what(self, doing: str) -> str:
        return f"group {self._group_id}, {doing}"
