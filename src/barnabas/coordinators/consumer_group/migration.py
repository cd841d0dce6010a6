"""Migrate a live group from JoinGroup to heartbeats and back (KIP-848, online upgrade and downgrade).

A heartbeat that joins a classic group makes it a consumer group; when the last member with
heartbeats leaves, it becomes classic again.
"""

from collections.abc import Collection

from barnabas.coordinators.classic_group.group import ClassicGroup
from barnabas.coordinators.classic_group.group_records import encode_end
from barnabas.coordinators.classic_group.group_states import GroupState
from barnabas.coordinators.classic_group.member import Member
from barnabas.coordinators.classic_group.protocols import (
    CONSUMER,
    assignment_of,
    encode_assignment,
    subscription_of,
)
from barnabas.coordinators.classic_group.settings import GroupSettings
from barnabas.coordinators.classic_group.snapshot import record_of
from barnabas.coordinators.common.draft import RecordDraft
from barnabas.coordinators.common.topic_partitions import TopicIdPartition, TopicsView, by_name
from barnabas.coordinators.consumer_group import records
from barnabas.coordinators.consumer_group.group import ConsumerGroup, since
from barnabas.coordinators.consumer_group.heartbeats import check_room
from barnabas.coordinators.consumer_group.leaving import delete
from barnabas.coordinators.consumer_group.member import ClassicSide, ConsumerMember
from barnabas.coordinators.consumer_group.settings import ConsumerSettings
from barnabas.coordinators.consumer_group.target import (
    BEFORE_THE_FIRST,
    hash_of,
    known_topics,
)
from barnabas.errors import BrokerError, DecodeError, ErrorCode


def upgrade(
    draft: RecordDraft,
    classic: ClassicGroup,
    joiner: str,
    topics: TopicsView,
    settings: ConsumerSettings,
) -> None:
    """Write a classic group with members as a consumer group; it has no waiting requests.

    Raises:
        BrokerError: GROUP_ID_NOT_FOUND: it cannot become one; GROUP_MAX_SIZE_REACHED: there is no
            space for `joiner`, who triggers it; nothing changes then.
    """
    is_allowed = settings.upgrades and classic.protocol_type == CONSUMER
    if not is_allowed or len(classic.members) > settings.max_size:
        raise BrokerError(
            ErrorCode.GROUP_ID_NOT_FOUND, f"Group {classic.group_id} is not a consumer group."
        )
    check_room(classic.members, joiner, settings)
    try:
        members = [_modern(classic, one, topics) for one in classic.members.values()]
    except DecodeError as error:
        raise BrokerError(
            ErrorCode.GROUP_ID_NOT_FOUND,
            f"Cannot upgrade classic group {classic.group_id}: {error}",
        ) from error
    name, generation = classic.group_id, classic.generation
    draft.add(encode_end(name))
    for member in members:
        draft.add(records.member_record(name, member))
    # Replacing a static member with the same subscription changes nothing, so no epoch starts. But
    # if some members have no assignment yet, one must.
    is_stable = classic.state is GroupState.STABLE
    epoch = generation if is_stable else max(generation, BEFORE_THE_FIRST) + 1
    wanted = {topic for member in members for topic in member.topics}
    draft.add(records.epoch_record(name, epoch, hash_of(known_topics(wanted, topics))))
    for member in members:
        draft.add(records.target_record(name, member.member_id, frozenset(member.assigned)))
    draft.add(records.assignment_epoch_record(name, generation, 0))
    for member in members:
        draft.add(records.current_record(name, member))


def _modern(classic: ClassicGroup, one: Member, topics: TopicsView) -> ConsumerMember:
    # Of a group that still gathers its first members none is chosen. (Kafka's fails there.)
    subscription = subscription_of(one.metadata(classic.protocol) or one.protocols[0][1])
    known = ((topics.find(each.topic), each.partitions) for each in assignment_of(one.assignment))
    partitions = [
        TopicIdPartition(topic.topic_id, partition)
        for topic, partitions in known
        if topic is not None
        for partition in partitions
    ]
    return ConsumerMember(
        member_id=one.member_id,
        instance_id=one.instance_id,
        rack_id=subscription.rack_id,
        client_id=one.client_id,
        client_host=one.client_host,
        topics=tuple(sorted(set(subscription.topics))),
        rebalance_timeout_ms=one.rebalance_timeout_ms,
        classic=ClassicSide(one.session_timeout_ms, one.protocols),
        epoch=classic.generation,
        previous_epoch=classic.generation,
        assigned=since(partitions, {}, classic.generation),
    )


def can_downgrade(group: ConsumerGroup, gone: Collection[str], settings: ConsumerSettings) -> bool:
    """Whether the group becomes classic once these members have left."""
    left = len(group.members) - len(gone)
    return (
        settings.downgrades
        and left <= settings.classic_max_size
        and group.only_classic_without(gone)
    )


def downgrade(
    draft: RecordDraft,
    group: ConsumerGroup,
    gone: Collection[str],
    topics: TopicsView,
    settings: GroupSettings,
) -> None:
    """Write a consumer group as a classic one, without the members that left.

    Its members receive their target assignment, not what they own of it so far. If one received
    less in this epoch, the group gets no leader and so must start a rebalance, even if the broker
    crashes first: nothing else makes that member ask again. (Kafka's group continues, and such a
    member lacks partitions until the next rebalance.)
    """
    members = [
        _classic(group, one, topics) for name, one in group.members.items() if name not in gone
    ]
    lacks_assignment = any(_lacks_assignment(group, one.member_id) for one in members)
    classic = ClassicGroup(
        group.group_id,
        settings,
        state=GroupState.STABLE,
        generation=group.epoch,
        protocol_type=CONSUMER,
        protocol=members[0].protocols[0][0],
        leader=None if lacks_assignment else members[0].member_id,
        members={one.member_id: one for one in members},
    )
    delete(draft, group)
    draft.add(record_of(classic))


def _lacks_assignment(group: ConsumerGroup, member_id: str) -> bool:
    member = group.members[member_id]
    target = group.target.get(member_id, frozenset())
    return member.epoch == group.epoch and frozenset(member.assigned) != target


def _classic(group: ConsumerGroup, one: ConsumerMember, topics: TopicsView) -> Member:
    assert one.classic is not None, "all who are left speak JoinGroup"
    target = group.target.get(one.member_id, frozenset())
    return Member(
        member_id=one.member_id,
        instance_id=one.instance_id,
        client_id=one.client_id,
        client_host=one.client_host,
        session_timeout_ms=one.classic.session_timeout_ms,
        rebalance_timeout_ms=one.rebalance_timeout_ms,
        protocols=one.classic.protocols,
        assignment=encode_assignment(by_name(target, topics), like=one.classic.protocols[0][1]),
    )
