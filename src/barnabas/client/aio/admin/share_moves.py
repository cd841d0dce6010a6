"""Change the positions of share groups (KIP-932). Each function sends once; the caller retries."""

from collections.abc import Mapping, Sequence

from barnabas.client.aio.cluster.coordinator import Coordinator
from barnabas.errors import ErrorCode
from barnabas.protocol.alter_share_group_offsets import (
    AlterShareGroupOffsetsRequest,
    AlterShareGroupOffsetsRequestPartition,
    AlterShareGroupOffsetsRequestTopic,
)
from barnabas.protocol.delete_share_group_offsets import (
    DeleteShareGroupOffsetsRequest,
    DeleteShareGroupOffsetsRequestTopic,
)
from barnabas.types import TopicPartition

_MISSING = "no such topic or partition exists"


async def moved_starts(coordinator: Coordinator, starts: Mapping[TopicPartition, int]) -> None:
    """Move a share group to these offsets; an error names all missing partitions."""
    topics: dict[str, list[AlterShareGroupOffsetsRequestPartition]] = {}
    for where, start in starts.items():
        row = AlterShareGroupOffsetsRequestPartition(
            partition_index=where.partition, start_offset=start
        )
        topics.setdefault(where.topic, []).append(row)
    request = AlterShareGroupOffsetsRequest(
        group_id=coordinator.group_id,
        topics=[
            AlterShareGroupOffsetsRequestTopic(topic_name=name, partitions=rows)
            for name, rows in topics.items()
        ],
    )
    reply = await coordinator.ask(request)
    coordinator.check(reply.error_code, reply.error_message or "moving where it goes on")
    missing = []
    for topic in reply.responses:
        for row in topic.partitions:
            name = f"{topic.topic_name}-{row.partition_index}"
            if row.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
                missing.append(name)
            else:
                why = f": {row.error_message}" if row.error_message else ""
                coordinator.check(row.error_code, f"where it goes on in {name}{why}")
    if missing:
        what = f"it was not moved in {', '.join(missing)}: {_MISSING}"
        coordinator.check(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, what)


async def forgotten_topics(coordinator: Coordinator, topics: Sequence[str]) -> None:
    """Delete a share group's positions in these topics."""
    request = DeleteShareGroupOffsetsRequest(
        group_id=coordinator.group_id,
        topics=[DeleteShareGroupOffsetsRequestTopic(topic_name=name) for name in topics],
    )
    reply = await coordinator.ask(request)
    coordinator.check(reply.error_code, reply.error_message or "forgetting where it was")
    for topic in reply.responses:
        missing = topic.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        why = topic.error_message or ("there is no such topic" if missing else "forgetting it")
        coordinator.check(topic.error_code, f"topic {topic.topic_name}: {why}")
