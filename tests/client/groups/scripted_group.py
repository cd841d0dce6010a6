"""A scripted broker that assigns partition 0 to every member, and has scripted faults."""

from dataclasses import dataclass
from typing import Any

from barnabas.errors import ErrorCode
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.api_versions import ApiVersionsResponse
from barnabas.protocol.consumer_group_heartbeat import (
    Assignment,
    ConsumerGroupHeartbeatResponse,
    TopicPartitions,
)
from barnabas.protocol.declared import DECLARED
from barnabas.protocol.offset_commit import (
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)
from barnabas.protocol.offset_fetch import (
    OffsetFetchResponse,
    OffsetFetchResponseGroup,
    OffsetFetchResponsePartitions,
    OffsetFetchResponseTopics,
)
from tests.client.scripted_broker import SPOKEN, TOPIC_ID, Call, Misdeed, versions_of
from tests.client.transactions.scripted_coordinator import ScriptedCoordinator

_OURS = (
    ApiKey.FIND_COORDINATOR,
    ApiKey.CONSUMER_GROUP_HEARTBEAT,
    ApiKey.OFFSET_COMMIT,
    ApiKey.OFFSET_FETCH,
)
_STALE = ErrorCode.STALE_MEMBER_EPOCH


@dataclass(slots=True)
class ScriptedGroup(ScriptedCoordinator):
    """`lacks` is an API that it does not speak.

    `member_epoch` is the member's, which is in the next heartbeat's response and counts at once.
    """

    lacks: ApiKey | None = None
    member_epoch: int = 0

    def _versions(self) -> ApiVersionsResponse:
        spoken = {each: DECLARED[each].versions for each in (*SPOKEN, *_OURS) if each != self.lacks}
        return versions_of(spoken)

    def _right(self, api: ApiKey, message: Any) -> object:
        match api:
            case ApiKey.CONSUMER_GROUP_HEARTBEAT:
                return self._beaten(message)
            case ApiKey.OFFSET_COMMIT:
                is_stale = message.generation_id_or_member_epoch != self.member_epoch
                return _committed(message, _STALE if is_stale else ErrorCode.NONE)
            case ApiKey.OFFSET_FETCH:
                return _offsets_response(message, ErrorCode.NONE)
            case _:
                return ScriptedCoordinator._right(self, api, message)

    def _beaten(self, message: Any) -> ConsumerGroupHeartbeatResponse:
        given = None
        if message.member_epoch == 0:
            rows = [TopicPartitions(topic_id=TOPIC_ID, partitions=[0])]
            given = Assignment(topic_partitions=rows)
        self.member_epoch = max(1, self.member_epoch)
        return ConsumerGroupHeartbeatResponse(
            error_code=0,
            member_id=message.member_id,
            member_epoch=self.member_epoch,
            heartbeat_interval_ms=50,
            assignment=given,
        )


def refuse_beat(code: ErrorCode, message: str | None = None) -> Misdeed:
    """Answer a heartbeat with an error."""

    def refusing(call: Call) -> None:
        call.reply(
            ConsumerGroupHeartbeatResponse(
                error_code=code, error_message=message, member_epoch=0, heartbeat_interval_ms=0
            )
        )

    return refusing


def refuse_offsets(code: ErrorCode) -> Misdeed:
    """Tell no offsets."""
    return lambda call: call.reply(_offsets_response(call.message, code))


def refuse_commit(code: ErrorCode) -> Misdeed:
    """Save no offset."""
    return lambda call: call.reply(_committed(call.message, code))


def _committed(message: Any, code: ErrorCode) -> OffsetCommitResponse:
    return OffsetCommitResponse(
        topics=[
            OffsetCommitResponseTopic(
                name=topic.name,
                topic_id=topic.topic_id,
                partitions=[
                    OffsetCommitResponsePartition(
                        partition_index=row.partition_index, error_code=code
                    )
                    for row in topic.partitions
                ],
            )
            for topic in message.topics
        ]
    )


def _offsets_response(message: Any, code: ErrorCode) -> OffsetFetchResponse:
    (group,) = message.groups
    topics = [
        OffsetFetchResponseTopics(
            name=topic.name,
            topic_id=topic.topic_id,
            partitions=[
                OffsetFetchResponsePartitions(
                    partition_index=each, committed_offset=0, metadata="", error_code=0
                )
                for each in topic.partition_indexes
            ],
        )
        for topic in group.topics
    ]
    reported = [] if code else topics
    row = OffsetFetchResponseGroup(group_id=group.group_id, topics=reported, error_code=code)
    return OffsetFetchResponse(groups=[row])
