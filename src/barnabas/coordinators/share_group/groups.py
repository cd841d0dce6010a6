"""ShareGroups: the share groups of one partition of __consumer_offsets, and their timers.

Source: KIP-932; Kafka's GroupMetadataManager.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from barnabas.coordinators.common.draft import RecordDraft, Replay
from barnabas.coordinators.common.kept_groups import GroupTable
from barnabas.coordinators.common.shard import Replayed
from barnabas.coordinators.common.topic_partitions import KnownTopic, TopicIdPartition, TopicsView
from barnabas.coordinators.consumer_group.heartbeats import HeartbeatReply
from barnabas.coordinators.consumer_group.target import hash_of, known_topics
from barnabas.coordinators.share_group import records
from barnabas.coordinators.share_group.group import ShareGroup, ShareMember
from barnabas.coordinators.share_group.replaying import replay
from barnabas.errors import BrokerError, ErrorCode

JOINS, LEAVES = 0, -1
_MADE_EPOCH, _FIRST_EPOCH = 1, 2
"""Source: Kafka 4.3."""


class ShareSettings(NamedTuple):
    """The settings of all share groups of a broker; times in milliseconds."""

    session_ms: int
    heartbeat_ms: int
    assignment_interval_ms: int
    max_size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareHeartbeat:
    """A member's heartbeat; None: unchanged."""

    group_id: str
    member_id: str
    epoch: int
    client_id: str
    client_host: str
    rack_id: str | None = None
    topics: tuple[str, ...] | None = None


class ShareGroups(GroupTable[ShareGroup]):
    """The share groups of one partition of __consumer_offsets."""

    def __init__(self, topics: TopicsView, replay_any: Replay) -> None:
        super().__init__(replay, replay_any)
        self._topics = topics

    def extends(self, request: ShareHeartbeat, settings: ShareSettings, now: int) -> bool:
        """Extend the session of a member for which nothing has happened; False: nothing is done."""
        group = self._groups.get(request.group_id)
        if group is None or not _is_idle(group, request, self._topics):
            return False
        group.sessions[request.member_id] = now + settings.session_ms
        return True

    def heartbeat(
        self, request: ShareHeartbeat, settings: ShareSettings, now: int
    ) -> Replayed[HeartbeatReply]:
        """Join, continue or leave.

        Raises:
            BrokerError: it is not allowed; nothing changes then.
        """
        if self.extends(request, settings, now):
            return Replayed(HeartbeatReply(request.member_id, request.epoch, settings.heartbeat_ms))
        group = self._groups.get(request.group_id)
        if group is None and request.epoch != JOINS:
            raise BrokerError(
                ErrorCode.GROUP_ID_NOT_FOUND, f"Share group {request.group_id} not found."
            )
        draft = self._draft(group)
        group = group or ShareGroup(request.group_id)
        was = _known(group, request, settings)
        if request.epoch == LEAVES:
            self._remove(draft, group, [request.member_id])
            return draft.result(HeartbeatReply(request.member_id, LEAVES, 0))
        updated = _updated(was, request)
        if updated != group.members.get(request.member_id):
            draft.add(records.member_record(request.group_id, updated))
            group = self._groups[request.group_id]
        has_news = updated.topics != was.topics
        self._refresh(draft, group, has_news=has_news)
        self._retarget(draft, group, settings, now)
        member = self._moved(group, updated, has_news=has_news)
        if member != updated:
            draft.add(records.current_record(request.group_id, member))
        group.sessions[request.member_id] = now + settings.session_ms
        # A full heartbeat means that a response may be lost, and requests everything.
        is_news = request.topics is not None or member.assigned != was.assigned
        reply = HeartbeatReply(
            member.member_id,
            member.epoch,
            settings.heartbeat_ms,
            member.assigned if is_news else None,
        )
        return draft.result(reply)

    def _refresh(self, draft: RecordDraft, group: ShareGroup, *, has_news: bool) -> None:
        """Start the next epoch if a subscription or a topic has changed."""
        if not has_news and group.topics_seen == self._topics.changes:
            return
        topics = known_topics(group.subscribed(), self._topics)
        found = hash_of(topics)
        if has_news or found != group.metadata_hash:
            epoch = max(group.epoch + 1, _FIRST_EPOCH)
            draft.add(records.epoch_record(group.group_id, epoch, found))
        group.topics_seen = self._topics.changes

    def _retarget(
        self, draft: RecordDraft, group: ShareGroup, settings: ShareSettings, now: int
    ) -> None:
        due = self.assignment_due(group, settings)
        if due is None or due > now:
            return
        topics = known_topics(group.subscribed(), self._topics)
        shares = assign(group.members, topics)
        for member_id in sorted(shares):
            if group.target.get(member_id) != shares[member_id]:
                draft.add(records.target_record(group.group_id, member_id, shares[member_id]))
        read = group.read | {
            topic_partition for share in shares.values() for topic_partition in share
        }
        if read != group.read:
            draft.add(records.read_record(group.group_id, read, self._topics.name_of))
        draft.add(records.assignment_epoch_record(group.group_id, group.epoch, now))

    @staticmethod
    def assignment_due(group: ShareGroup, settings: ShareSettings) -> int | None:
        """When the next assignment may be made; None if none is pending."""
        if group.epoch <= group.assignment_epoch or not group.members:
            return None
        return group.assigned_at_ms and group.assigned_at_ms + settings.assignment_interval_ms

    def _moved(self, group: ShareGroup, member: ShareMember, *, has_news: bool) -> ShareMember:
        """The member with its part of the last assignment: only topics that it subscribes to.

        A subscription may be newer than the assignment. Source: Kafka's
        ShareGroupAssignmentBuilder.
        """
        if member.epoch == group.assignment_epoch and not has_news:
            return member
        ids = {topic_id for topic_id, _ in known_topics(member.topics, self._topics).values()}
        target = group.target.get(member.member_id, frozenset())
        assigned = frozenset(
            topic_partition for topic_partition in target if topic_partition.topic_id in ids
        )
        if member.epoch == group.assignment_epoch:
            return replace(member, assigned=assigned)
        return replace(
            member, epoch=group.assignment_epoch, previous_epoch=member.epoch, assigned=assigned
        )

    def _remove(self, draft: RecordDraft, group: ShareGroup, gone: Iterable[str]) -> None:
        for member_id in gone:
            for record in records.without_member(group.group_id, member_id):
                draft.add(record)
        self._refresh(draft, group, has_news=True)

    def make(self, group_id: str) -> Replayed[None]:
        """Create a group without members."""
        draft = self._draft(self.get(group_id))
        draft.add(records.epoch_record(group_id, _MADE_EPOCH, 0))
        draft.add(records.assignment_epoch_record(group_id, _MADE_EPOCH, 0))
        return draft.result(None)

    def delete(self, group: ShareGroup) -> Replayed[None]:
        """The records that delete a group."""
        draft = self._draft(group)
        for record in records.without_group(group):
            draft.add(record)
        return draft.result(None)

    def set_read(self, group: ShareGroup, read: frozenset[TopicIdPartition]) -> Replayed[None]:
        """Store progress for these partitions, and for no others."""
        draft = self._draft(group)
        draft.add(records.read_record(group.group_id, read, self._topics.name_of))
        return draft.result(None)

    def deadline(self, group: ShareGroup) -> int | None:
        """When the group's next timer expires."""
        return min(group.sessions.values(), default=None)

    def on_time(self, group: ShareGroup, now: int) -> Replayed[None]:
        """Remove members whose sessions ended.

        The next heartbeat of another one makes the assignment.
        """
        draft = self._draft(group)
        late = [name for name in group.members if group.sessions.get(name, now + 1) <= now]
        if late:
            self._remove(draft, group, late)
        return draft.result(None)


def loaded(group: ShareGroup, settings: ShareSettings, now: int) -> None:
    """Start the sessions: this broker now coordinates the group.

    Its clock may be behind that of the last assignment; the next assignment does not wait for that.
    """
    group.assigned_at_ms = min(group.assigned_at_ms, now)
    for member_id in group.members:
        group.sessions[member_id] = now + settings.session_ms


def assign(
    members: Mapping[str, ShareMember], topics: Mapping[str, KnownTopic]
) -> dict[str, frozenset[TopicIdPartition]]:
    """Assign each partition to at least one member, and partitions to each subscriber.

    Several members may share a partition. Source: KIP-932; Kafka's SimpleAssignor.
    """
    shares: dict[str, set[TopicIdPartition]] = {name: set() for name in members}
    for topic, (topic_id, count) in sorted(topics.items()):
        names = sorted(name for name, one in members.items() if topic in one.topics)
        for index in range(max(count, len(names)) if names else 0):
            shares[names[index % len(names)]].add(TopicIdPartition(topic_id, index % count))
    return {name: frozenset(share) for name, share in shares.items()}


def _is_idle(group: ShareGroup, request: ShareHeartbeat, topics: TopicsView) -> bool:
    """Whether neither the member nor its group has changed: the usual case."""
    member = group.members.get(request.member_id)
    return (
        member is not None
        and member.epoch == request.epoch == group.epoch == group.assignment_epoch
        and group.topics_seen == topics.changes
        and request.topics is None
        and request.rack_id is None
        and (request.client_id, request.client_host) == (member.client_id, member.client_host)
    )


def _known(group: ShareGroup, request: ShareHeartbeat, settings: ShareSettings) -> ShareMember:
    member = group.members.get(request.member_id)
    if member is None:
        if request.epoch != JOINS:
            raise BrokerError(
                ErrorCode.UNKNOWN_MEMBER_ID,
                f"Member {request.member_id} is not a member of group {request.group_id}.",
            )
        if len(group.members) >= settings.max_size:
            raise BrokerError(
                ErrorCode.GROUP_MAX_SIZE_REACHED,
                f"The share group has reached its maximum capacity of {settings.max_size} members.",
            )
        return ShareMember(member_id=request.member_id)
    if request.epoch > 0 and request.epoch not in {member.epoch, member.previous_epoch}:
        raise BrokerError(
            ErrorCode.FENCED_MEMBER_EPOCH,
            f"The share group member has another member epoch ({request.epoch}) than the one known "
            f"by the group coordinator ({member.epoch}). The member must rejoin.",
        )
    return member


def _updated(member: ShareMember, request: ShareHeartbeat) -> ShareMember:
    return replace(
        member,
        rack_id=member.rack_id if request.rack_id is None else request.rack_id,
        client_id=request.client_id,
        client_host=request.client_host,
        topics=member.topics if request.topics is None else tuple(sorted(set(request.topics))),
    )
