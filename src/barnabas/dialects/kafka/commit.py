"""OffsetCommit between Kafka's messages and the neutral command."""

from collections.abc import Sequence

from barnabas.dialects.commands import CommitOffset, CommitOffsets, CommitTopic
from barnabas.errors import ErrorCode
from barnabas.protocol.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)


def commit_command(request: OffsetCommitRequest) -> CommitOffsets:
    """The command that a request stands for.

    Metadata that is null is empty. Topics without partitions are left out, also of the reply, as
    Kafka does.
    """
    return CommitOffsets(
        request.group_id,
        request.generation_id_or_member_epoch,
        request.member_id,
        request.group_instance_id,
        request.retention_time_ms,
        [
            CommitTopic(
                topic.name,
                topic.topic_id,
                [
                    CommitOffset(
                        one.partition_index,
                        one.committed_offset,
                        one.committed_leader_epoch,
                        one.committed_metadata or "",
                        one.commit_timestamp,
                    )
                    for one in topic.partitions
                ],
            )
            for topic in request.topics
            if topic.partitions
        ],
    )


def commit_response(command: CommitOffsets, codes: Sequence[ErrorCode]) -> OffsetCommitResponse:
    """The reply, in the order of the request."""
    rest = iter(codes)
    return OffsetCommitResponse(
        topics=[
            OffsetCommitResponseTopic(
                name=topic.topic,
                topic_id=topic.topic_id,
                partitions=[
                    OffsetCommitResponsePartition(
                        partition_index=one.partition, error_code=next(rest)
                    )
                    for one in topic.offsets
                ],
            )
            for topic in command.topics
        ]
    )
