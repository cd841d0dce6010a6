"""ShareGroupDescribe (key 77): the members of share groups (KIP-932).

Does: what each member subscribes to and has. Topics that are gone are left out.
Refuses: groups of another kind, and those that are not there.
Versions: 1, the same layout as 0, which was early access
"""

from functools import partial

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.stepping import Steps, in_steps_while_connected
from barnabas.broker.requests.group_descriptions import (
    described_by_kind,
    group_of_kind,
    partitions_by_topic,
)
from barnabas.coordinators.share_group.group import ShareMember
from barnabas.errors import ErrorCode
from barnabas.protocol.share_group_describe import (
    Assignment,
    DescribedGroup,
    Member,
    ShareGroupDescribeRequest,
    ShareGroupDescribeResponse,
    TopicPartitions,
)


@in_steps_while_connected
def handle(
    broker: Broker, context: RequestContext, request: ShareGroupDescribeRequest
) -> Steps[ShareGroupDescribeResponse]:
    """Describe each group."""
    del context
    groups = yield from described_by_kind(
        request, partial(_described, broker), partial(DescribedGroup, assignor_name="")
    )
    return ShareGroupDescribeResponse(groups=groups)


def _described(broker: Broker, group_id: str) -> DescribedGroup:
    group = group_of_kind(broker, group_id, "share", lambda shard: shard.share.get(group_id))
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
                for topic, indexes in partitions_by_topic(broker, one.assigned)
            ]
        ),
    )
