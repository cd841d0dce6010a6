"""Requests that are retried until they succeed, fail for good, or time runs out; grouped by leader."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from typing import Any, Final, TypeVar

from barnabas.client.aio.cluster.cluster import Cluster
from barnabas.client.core.admin.descriptions import EARLIEST, LATEST, OffsetAndTimestamp
from barnabas.client.core.arguments.deadline import Deadline
from barnabas.errors import BrokerError, ErrorCode, KafkaError, RequestTimeout
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)
from barnabas.types import TopicPartition

_Result = TypeVar("_Result")
_CONSUMER: Final = -1
NOT_THERE: Final = frozenset({ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.UNKNOWN_TOPIC_ID})
"""Errors about a missing topic: an administrator gets them at once, as with the Java client.

A producer or consumer may wait for the topic's creation.
"""
_ENDS: Final = (EARLIEST, LATEST)
_NO_TIMES: Final = (
    "offsets by time need Kafka 0.10.1 or later: before, records have no index of times"
)
_ELSEWHERE: Final = (ErrorCode.NOT_CONTROLLER, ErrorCode.NOT_COORDINATOR)


async def persist(
    cluster: Cluster,
    deadline: Deadline,
    what: str,
    attempt: Callable[[], Awaitable[_Result]],
    *,
    final: Collection[ErrorCode] = (),
    passing: Collection[ErrorCode] = (),
) -> _Result:
    """Run `attempt` until it succeeds, with growing delays.

    Errors with a code in `final` are raised at once although they are retriable; those in `passing`
    are retried although they are not.

    Raises:
        KafkaError: an error that a retry does not fix, or at the deadline one like the last.
    """
    last: list[KafkaError] = []

    async def trying() -> _Result:
        while True:
            try:
                return await attempt()
            except KafkaError as error:
                passes = error.retriable or error.code in passing
                if not passes or error.code in final:
                    raise
                last.append(error)
                if error.code.stale_metadata or error.code in _ELSEWHERE:
                    cluster.metadata.refresh()
                await asyncio.sleep(cluster.retry_wait(len(last)))

    try:
        return await cluster.limits.within(
            deadline, what, cluster.environment.loop.create_task(trying())
        )
    except RequestTimeout as error:
        if last:
            raise deadline.missed(what, last[-1]) from error
        raise


async def lookup_offsets(
    cluster: Cluster,
    wanted: Mapping[TopicPartition, int],
    *,
    committed_only: bool,
    deadline: Deadline,
) -> dict[TopicPartition, OffsetAndTimestamp]:
    """Return the offsets of these timestamps (ms, or EARLIEST, LATEST, MAX_TIMESTAMP) per partition.

    If no record is that late, the offset is -1. `committed_only`: LATEST is the last stable offset.
    """
    found: dict[TopicPartition, OffsetAndTimestamp] = {}

    async def attempt() -> dict[TopicPartition, OffsetAndTimestamp]:
        missing = [where for where in wanted if where not in found]
        groups = await by_leader(cluster, missing)
        asked = [
            ask_offsets(
                cluster,
                node_id,
                {where: wanted[where] for where in group},
                committed_only=committed_only,
            )
            for node_id, group in groups.items()
        ]
        failed: list[BaseException] = []
        for result in await asyncio.gather(*asked, return_exceptions=True):
            if isinstance(result, BaseException):
                failed.append(result)
            else:
                found.update(result[0])
                failed.extend(result[1].values())
        if failed:
            raise failed[0]
        return found

    return await persist(cluster, deadline, "looking up offsets", attempt)


async def by_leader(
    cluster: Cluster, partitions: Iterable[TopicPartition]
) -> dict[int, list[TopicPartition]]:
    """Group partitions by the broker that leads them.

    Raises:
        BrokerError: one has no leader now, or does not exist; retriable.
    """
    listed = list(partitions)
    await cluster.metadata.know({where.topic for where in listed})
    groups: dict[int, list[TopicPartition]] = {}
    for where in listed:
        view = cluster.view.partition(*where)
        if view is None:
            error = cluster.view.topics[where.topic].error or ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
            raise BrokerError(error, f"{where.topic}-{where.partition}")
        if view.leader not in cluster.view.brokers:
            raise BrokerError(ErrorCode.LEADER_NOT_AVAILABLE, f"{where.topic}-{where.partition}")
        groups.setdefault(view.leader, []).append(where)
    return groups


async def ask_offsets(
    cluster: Cluster,
    node_id: int,
    wanted: Mapping[TopicPartition, int],
    *,
    committed_only: bool,
) -> tuple[dict[TopicPartition, OffsetAndTimestamp], dict[TopicPartition, BrokerError]]:
    """Return one broker's response: every partition has either its offset or its error.

    Raises:
        KafkaError: no response arrived.
    """
    topics: dict[str, list[ListOffsetsPartition]] = {}
    for where, timestamp in wanted.items():
        view = cluster.view.partition(*where)
        row = ListOffsetsPartition(
            partition_index=where.partition,
            current_leader_epoch=view.leader_epoch if view is not None else -1,
            timestamp=timestamp,
        )
        topics.setdefault(where.topic, []).append(row)
    request = ListOffsetsRequest(
        replica_id=_CONSUMER,
        isolation_level=int(committed_only),
        topics=[ListOffsetsTopic(name=name, partitions=rows) for name, rows in topics.items()],
        timeout_ms=30_000,
    )
    link = await cluster.ready_link(node_id)
    version = link.protocol.version_of(ApiKey.LIST_OFFSETS)
    if version == 0 and any(time not in _ENDS for time in wanted.values()):
        raise BrokerError(ErrorCode.UNSUPPORTED_VERSION, _NO_TIMES)
    response: Any = await link.ask(request, version=version)
    assert isinstance(response, ListOffsetsResponse)
    found: dict[TopicPartition, OffsetAndTimestamp] = {}
    errors: dict[TopicPartition, BrokerError] = {}
    for topic in response.topics:
        for each in topic.partitions:
            where = TopicPartition(topic.name, each.partition_index)
            if each.error_code:
                errors[where] = BrokerError(each.error_code, f"{where.topic}-{where.partition}")
            else:
                # Version 0 has a list, which is empty where there is no offset.
                offset = each.old_style_offsets[0] if each.old_style_offsets else each.offset
                if offset < 0 and wanted.get(where) in _ENDS:
                    errors[where] = BrokerError(ErrorCode.OFFSET_NOT_AVAILABLE, _without_end(where))
                    continue
                found[where] = OffsetAndTimestamp(offset, each.timestamp, each.leader_epoch)
    for where in wanted.keys() - found.keys() - errors.keys():
        errors[where] = BrokerError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, _unanswered(where))
    return found, errors


def _without_end(where: TopicPartition) -> str:
    return f"{where.topic}-{where.partition}: the answer has no offset of it"


def _unanswered(where: TopicPartition) -> str:
    return f"{where.topic}-{where.partition} was left out of the answer"
