"""ConsumerGroupDescribe (key 69): the members of groups whose broker assigns partitions (KIP-848).

Does: what each member subscribes to, has and is to have. It has what it still must give back.
Topics that are gone are left out.
Refuses: groups of another kind, and those that are not there.
Versions: 1 types of members (KIP-1099)
"""

from collections.abc import Iterable
from functools import partial

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.groups.consumer_policies import check_protocol
from barnabas.broker.purgatory.stepping import Steps, in_steps_while_connected
from barnabas.broker.requests.group_descriptions import (
    described_by_kind,
    group_of_kind,
    partitions_by_topic,
)
from barnabas.coordinators.common.topic_partitions import TopicIdPartition
from barnabas.coordinators.consumer_group.group import ConsumerGroup
from barnabas.coordinators.consumer_group.member import ConsumerMember
from barnabas.errors import ErrorCode
from barnabas.protocol.consumer_group_describe import (
    Assignment,
    ConsumerGroupDescribeRequest,
    ConsumerGroupDescribeResponse,
    DescribedGroup,
    Member,
    TopicPartitions,
)

_CLASSIC, _CONSUMER = 0, 1
"""Types of members."""


@in_steps_while_connected
def handle(
    broker: Broker, context: RequestContext, request: ConsumerGroupDescribeRequest
) -> Steps[ConsumerGroupDescribeResponse]:
    """Describe each group."""
    del context
    groups = yield from described_by_kind(
        request, partial(_described, broker), partial(DescribedGroup, assignor_name="")
    )
    return ConsumerGroupDescribeResponse(groups=groups)


def _described(broker: Broker, group_id: str) -> DescribedGroup:
    check_protocol(broker.config, "consumer")
    group = group_of_kind(broker, group_id, "consumer", lambda shard: shard.consumer.get(group_id))
    return DescribedGroup(
        error_code=ErrorCode.NONE,
        group_id=group_id,
        group_state=group.state.value,
        group_epoch=group.epoch,
        assignment_epoch=group.assignment_epoch,
        assignor_name=group.preferred_assignor() or broker.config.group_consumer_assignors[0],
        members=[_member(broker, group, one) for one in group.members.values()],
    )


def _member(broker: Broker, group: ConsumerGroup, one: ConsumerMember) -> Member:
    return Member(
        member_id=one.member_id,
        instance_id=one.instance_id,
        rack_id=one.rack_id,
        member_epoch=one.epoch,
        client_id=one.client_id,
        client_host=one.client_host,
        subscribed_topic_names=list(one.topics),
        subscribed_topic_regex=one.regex,
        assignment=_assignment(broker, (*one.assigned, *one.revoking)),
        target_assignment=_assignment(broker, group.target.get(one.member_id, frozenset())),
        member_type=_CONSUMER if one.classic is None else _CLASSIC,
    )


def _assignment(broker: Broker, places: Iterable[TopicIdPartition]) -> Assignment:
    return Assignment(
        topic_partitions=[
            TopicPartitions(topic_id=topic.topic_id, topic_name=topic.name, partitions=indexes)
            for topic, indexes in partitions_by_topic(broker, places)
        ]
    )
