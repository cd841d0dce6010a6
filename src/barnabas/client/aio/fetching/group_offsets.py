"""Committed offsets of a group, saved and read by a member or from outside."""

import asyncio
import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from barnabas.client.aio.cluster.cluster import Cluster
from barnabas.client.aio.cluster.coordinator import Coordinator
from barnabas.client.aio.cluster.retries import persist
from barnabas.client.core.admin.group_descriptions import CommittedOffset
from barnabas.client.core.arguments.deadline import Deadline
from barnabas.client.core.cluster.topic_ids import BY_NAME, TopicIds
from barnabas.client.core.group.subscription import NO_GENERATION, by_topic
from barnabas.errors import ErrorCode
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
)
from barnabas.protocol.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
)
from barnabas.types import TopicPartition

log = logging.getLogger(__name__)

_WITHOUT_TOPIC_IDS: Final = 9


@dataclass(frozen=True, slots=True)
class Committer:
    """The identity for commits: a member in a generation, or a client outside the group."""

    generation: int = NO_GENERATION
    member_id: str = ""
    instance_id: str | None = None


OUTSIDE: Final = Committer()

ALL_SINCE: Final = 2
"""The version of OffsetFetch that can ask for all positions of a group."""
_NOT_SAVED: Final = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
"""What version 0 of OffsetFetch says of a partition without a node in ZooKeeper."""
_NEWER: Final = (ErrorCode.STALE_MEMBER_EPOCH, ErrorCode.UNKNOWN_MEMBER_ID)
"""Errors of a member whose epoch just changed or ended: retry with the newer one."""


def _outside() -> Committer:
    return OUTSIDE


def _at_most(ids: TopicIds) -> int | None:
    return None if ids else _WITHOUT_TOPIC_IDS


class CommittedOffsets:
    """The committed positions of a group, stored by its coordinator.

    `by_id`: use topic ids where the metadata has all of them and the broker accepts them; a caller
    that names topics means the name. `reader` returns the identity for each fetch of offsets.
    """

    def __init__(self, coordinator: Coordinator, *, by_id: bool) -> None:
        self._coordinator = coordinator
        self._cluster = coordinator.cluster
        self._group_id = coordinator.group_id
        self._by_id = by_id
        self.reader: Callable[[], Committer] = _outside
        self._reported_missing: Sequence[str] = ()

    async def commit(
        self,
        offsets: Mapping[TopicPartition, CommittedOffset],
        deadline: Deadline,
        committer: Callable[[], Committer] = _outside,
        *,
        final: Collection[ErrorCode] = (),
    ) -> None:
        """Save the offset of the next record to read, per partition; `committer` is called for each try.

        Missing partitions are waited for, as in the Java client, unless that is `final`.

        Raises:
            KafkaError: not all could be saved.
        """
        what, newer = self._what("committing"), _NEWER[:1]
        attempt = partial(self._save, offsets, committer, waits=not final)
        await persist(self._cluster, deadline, what, attempt, final=final, passing=newer)

    async def commit_once(
        self,
        offsets: Mapping[TopicPartition, CommittedOffset],
        deadline: Deadline,
        committer: Callable[[], Committer] = _outside,
    ) -> None:
        """Like `commit`, but without retries."""
        saving = asyncio.ensure_future(self._save(offsets, committer, waits=True))
        await self._cluster.limits.within(deadline, self._what("committing"), saving)

    async def _save(
        self,
        offsets: Mapping[TopicPartition, CommittedOffset],
        committer: Callable[[], Committer],
        *,
        waits: bool,
    ) -> None:
        topics: dict[str, list[OffsetCommitRequestPartition]] = {}
        for where, saved in offsets.items():
            row = OffsetCommitRequestPartition(
                partition_index=where.partition,
                committed_offset=saved.offset,
                committed_leader_epoch=saved.leader_epoch,
                committed_metadata=saved.metadata,
            )
            topics.setdefault(where.topic, []).append(row)

        who = committer()
        ids = self._ids(topics)
        request = OffsetCommitRequest(
            group_id=self._group_id,
            generation_id_or_member_epoch=who.generation,
            member_id=who.member_id,
            group_instance_id=who.instance_id,
            topics=[
                OffsetCommitRequestTopic(name=name, topic_id=ids.of(name), partitions=rows)
                for name, rows in topics.items()
            ],
        )
        response = await self._coordinator.ask(request, at_most=_at_most(ids))
        self._check(response, ids, waits=waits)

    async def committed(
        self, partitions: Iterable[TopicPartition], deadline: Deadline
    ) -> dict[TopicPartition, CommittedOffset]:
        """Return the saved offsets; partitions without one are omitted.

        Raises:
            KafkaError: they could not be read.
        """
        wanted = list(partitions)

        async def attempt() -> dict[TopicPartition, CommittedOffset]:
            ids = self._ids(where.topic for where in wanted)
            return await saved_offsets(self._coordinator, wanted, self.reader(), ids)

        what = self._what("reading")
        return await persist(self._cluster, deadline, what, attempt, passing=_NEWER)

    def _ids(self, topics: Iterable[str]) -> TopicIds:
        """Look up ids for each try: the id of a deleted topic makes the next try request metadata again.

        Metadata covers only topics that the client uses: other topics, whose ids may have changed,
        go by name.
        """
        names = set(topics)
        fresh = self._by_id and names <= self._cluster.metadata.topics
        return TopicIds.in_view(self._cluster.view, names) if fresh else BY_NAME

    def _check(self, response: OffsetCommitResponse, ids: TopicIds, *, waits: bool) -> None:
        """Raise an error if not all was saved; it names all missing partitions."""
        missing = []
        for topic in response.topics:
            for row in topic.partitions:
                name = f"{ids.name_of(topic)}-{row.partition_index}"
                if row.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
                    missing.append(name)
                else:
                    self._coordinator.check(row.error_code, f"the offset of {name}")
        if not missing:
            self._reported_missing = ()
            return
        what = f"no offset saved for {', '.join(missing)}: no such topic or partition exists"
        if waits and self._reported_missing != missing:
            self._reported_missing = missing
            log.warning("still trying: group %s: %s", self._group_id, what)
        self._coordinator.check(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, what)

    def _what(self, doing: str) -> str:
        return f"group {self._group_id}, {doing}"


async def saved_offsets(
    coordinator: Coordinator,
    partitions: Sequence[TopicPartition] | None,
    reader: Committer = OUTSIDE,
    ids: TopicIds = BY_NAME,
    *,
    stable: bool = True,
) -> dict[TopicPartition, CommittedOffset]:
    """Return the positions that a group has saved for these partitions, or all; sends once.

    `stable`: an offset in an open transaction is a retriable error (KIP-447); otherwise the offset
    saved before it is returned.

    Raises:
        KafkaError: they could not be read.
    """
    if partitions is None and await coordinator.version_of(ApiKey.OFFSET_FETCH) < ALL_SINCE:
        partitions = await every_partition(coordinator.cluster)
    topics = None if partitions is None else by_topic(partitions)
    request = OffsetFetchRequest(
        group_id=coordinator.group_id,
        topics=None
        if topics is None
        else [
            OffsetFetchRequestTopic(name=name, partition_indexes=rows)
            for name, rows in topics.items()
        ],
        groups=[
            OffsetFetchRequestGroup(
                group_id=coordinator.group_id,
                member_id=reader.member_id or None,
                member_epoch=reader.generation,
                topics=None
                if topics is None
                else [
                    OffsetFetchRequestTopics(
                        name=name, topic_id=ids.of(name), partition_indexes=rows
                    )
                    for name, rows in topics.items()
                ],
            )
        ],
        require_stable=stable,
    )
    reply = await coordinator.ask(request, at_most=_at_most(ids))
    found = {}
    for part in reply.groups or [reply]:
        coordinator.check(part.error_code, "reading offsets")
        for topic in part.topics:
            name = ids.name_of(topic) if reply.groups else topic.name
            for row in topic.partitions:
                where = TopicPartition(name, row.partition_index)
                if row.error_code == _NOT_SAVED and coordinator.keeps_in_zookeeper:
                    continue
                coordinator.check(row.error_code, f"the offset of {name}-{where.partition}")
                if row.committed_offset >= 0:
                    found[where] = CommittedOffset.of_row(row)
    return found


async def every_partition(cluster: Cluster) -> list[TopicPartition]:
    """All partitions of the cluster, where a broker cannot be asked for all positions of a group."""
    metadata = await cluster.metadata.of(None)
    return [
        TopicPartition(topic.name or "", row.partition_index)
        for topic in metadata.topics
        for row in topic.partitions
    ]
