"""ShareGroupDescribe (key 77): the members of share groups (KIP-932).

Does: what each member subscribes to and has. Topics that are gone are left out.
Refuses: groups of another kind, and those that are not there.
Versions: 1, the same layout as 0, which was early access
"""

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.operations import NOT_ASKED, ON_GROUPS
from barnabas.coordinators.consumer_group.places import by_topic
from barnabas.coordinators.share_group.group import ShareMember
from barnabas.errors import BrokerError, ErrorCode
from barnabas.protocol.share_group_describe import (
    Assignment,
    DescribedGroup,
    Member,
    ShareGroupDescribeRequest,
    ShareGroupDescribeResponse,
    TopicPartitions,
)


def handle(
    broker: Broker, context: RequestContext, request: ShareGroupDescribeRequest
) -> ShareGroupDescribeResponse:
    """Describe each."""
    del context
    operations = ON_GROUPS if request.include_authorized_operations else NOT_ASKED
    groups = [_described(broker, group_id) for group_id in request.group_ids]
    for group in groups:
        if not group.error_code:
            group.authorized_operations = operations
    return ShareGroupDescribeResponse(groups=groups)


def _described(broker: Broker, group_id: str) -> DescribedGroup:
    if not group_id:
        return _nothing(group_id, ErrorCode.INVALID_GROUP_ID, None)
    try:
        held = broker.groups.find(group_id)
    except BrokerError as error:
        return _nothing(group_id, error.code, error.why)
    group = held.shard.share.get(group_id) if held else None
    if group is None:
        other = held is not None and held.shard.is_of_another_kind(group_id)
        what = "is not a share group" if other else "not found"
        return _nothing(group_id, ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group_id} {what}.")
    return DescribedGroup(
        error_code=ErrorCode.NONE,
        group_id=group_id,
        group_state=group.state,
        group_epoch=group.epoch,
        assignment_epoch=group.assignment_epoch,
        assignor_name="simple",
        members=[_member(broker, one) for one in group.members.values()],
    )


def _member(broker: Broker, one: ShareMember) -> Member:
    found = (
        (broker.topics.by_id(each), indexes) for each, indexes in by_topic(one.assigned).items()
    )
    return Member(
        member_id=one.member_id,
        rack_id=one.rack_id,
        member_epoch=one.epoch,
        client_id=one.client_id,
        client_host=one.client_host,
        subscribed_topic_names=list(one.topics),
        assignment=Assignment(
            topic_partitions=[
                TopicPartitions(topic_id=topic.topic_id, topic_name=topic.name, partitions=indexes)
                for topic, indexes in found
                if topic is not None
            ]
        ),
    )


def _nothing(group_id: str, code: ErrorCode, why: str | None) -> DescribedGroup:
    return DescribedGroup(
        error_code=code,
        error_message=why,
        group_id=group_id,
        group_state="",
        group_epoch=0,
        assignment_epoch=0,
        assignor_name="",
        members=[],
    )
