"""ShareGroups: the share groups of one partition of __consumer_offsets, and their time.

Source: KIP-932; Kafka's GroupMetadataManager.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from barnabas.coordinators.common.draft import Draft, Replay
from barnabas.coordinators.common.kept_groups import KeptGroups
from barnabas.coordinators.common.shard import Replayed
from barnabas.coordinators.common.topic_partitions import KnownTopic, Place, TopicsView
from barnabas.coordinators.consumer_group.heartbeats import BeatReply
from barnabas.coordinators.consumer_group.target import hash_of, known_topics
from barnabas.coordinators.share_group import records
from barnabas.coordinators.share_group.group import ShareGroup, ShareMember
from barnabas.coordinators.share_group.replaying import replay
from barnabas.errors import BrokerError, ErrorCode

JOINS, LEAVES = 0, -1
_MADE_EPOCH, _FIRST_EPOCH = 1, 2
"""Source: Kafka 4.3."""


class ShareSettings(NamedTuple):
    """What all share groups of a broker obey; times in milliseconds."""

    session_ms: int
    heartbeat_ms: int
    assignment_interval_ms: int
    max_size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareBeat:
    """A member's heartbeat; None: unchanged."""

    group_id: str
    member_id: str
    epoch: int
    client_id: str
    client_host: str
    rack_id: str | None = None
    topics: tuple[str, ...] | None = None


class ShareGroups(KeptGroups[ShareGroup]):
    """Some groups of a broker."""

    def __init__(self, topics: TopicsView, replay_any: Replay) -> None:
        super().__init__(replay, replay_any)
        self._topics = topics

    def extends(self, asked: ShareBeat, settings: ShareSettings, now: int) -> bool:
        """Extend the session of a member for which nothing has happened; False: nothing is done."""
        group = self._groups.get(asked.group_id)
        if group is None or not _is_idle(group, asked, self._topics):
            return False
        group.sessions[asked.member_id] = now + settings.session_ms
        return True

    def heartbeat(self, asked: ShareBeat, settings: ShareSettings, now: int) -> Replayed[BeatReply]:
        """Join, continue or leave.

        Raises:
            BrokerError: it is not allowed; nothing changes then.
        """
        if self.extends(asked, settings, now):
            return Replayed(BeatReply(asked.member_id, asked.epoch, settings.heartbeat_ms))
        group = self._groups.get(asked.group_id)
        if group is None and asked.epoch != JOINS:
            raise BrokerError(
                ErrorCode.GROUP_ID_NOT_FOUND, f"Share group {asked.group_id} not found."
            )
        draft = self._draft(group)
        group = group or ShareGroup(asked.group_id)
        was = _known(group, asked, settings)
        if asked.epoch == LEAVES:
            self._remove(draft, group, [asked.member_id])
            return draft.result(BeatReply(asked.member_id, LEAVES, 0))
        updated = _updated(was, asked)
        if updated != group.members.get(asked.member_id):
            draft.add(records.member_record(asked.group_id, updated))
            group = self._groups[asked.group_id]
        has_news = updated.topics != was.topics
        self._refresh(draft, group, has_news=has_news)
        self._retarget(draft, group, settings, now)
        member = self._moved(group, updated, has_news=has_news)
        if member != updated:
            draft.add(records.current_record(asked.group_id, member))
        group.sessions[asked.member_id] = now + settings.session_ms
        # A full heartbeat means that a response may be lost, and requests everything.
        is_news = asked.topics is not None or member.assigned != was.assigned
        reply = BeatReply(
            member.member_id,
            member.epoch,
            settings.heartbeat_ms,
            member.assigned if is_news else None,
        )
        return draft.result(reply)

    def _refresh(self, draft: Draft, group: ShareGroup, *, has_news: bool) -> None:
        """Come to the next epoch if a subscription is another one, or if topics are."""
        if not has_news and group.topics_seen == self._topics.changes:
            return
        topics = known_topics(group.subscribed(), self._topics)
        found = hash_of(topics)
        if has_news or found != group.metadata_hash:
            epoch = max(group.epoch + 1, _FIRST_EPOCH)
            draft.add(records.epoch_record(group.group_id, epoch, found))
        group.topics_seen = self._topics.changes

    def _retarget(self, draft: Draft, group: ShareGroup, settings: ShareSettings, now: int) -> None:
        due = self.assignment_due(group, settings)
        if due is None or due > now:
            return
        topics = known_topics(group.subscribed(), self._topics)
        shares = assign(group.members, topics)
        for member_id in sorted(shares):
            if group.target.get(member_id) != shares[member_id]:
                draft.add(records.target_record(group.group_id, member_id, shares[member_id]))
        read = group.read | {place for share in shares.values() for place in share}
        if read != group.read:
            draft.add(records.read_record(group.group_id, read, self._topics.name_of))
        draft.add(records.assignment_epoch_record(group.group_id, group.epoch, now))

    @staticmethod
    def assignment_due(group: ShareGroup, settings: ShareSettings) -> int | None:
        """When the next assignment may be made; None while there is none to make."""
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
        assigned = frozenset(place for place in target if place.topic_id in ids)
        if member.epoch == group.assignment_epoch:
            return replace(member, assigned=assigned)
        return replace(
            member, epoch=group.assignment_epoch, previous_epoch=member.epoch, assigned=assigned
        )

    def _remove(self, draft: Draft, group: ShareGroup, gone: Iterable[str]) -> None:
        for member_id in gone:
            for record in records.without_member(group.group_id, member_id):
                draft.add(record)
        self._refresh(draft, group, has_news=True)

    def make(self, group_id: str) -> Replayed[None]:
        """Write a group without members."""
        draft = self._draft(self.get(group_id))
        draft.add(records.epoch_record(group_id, _MADE_EPOCH, 0))
        draft.add(records.assignment_epoch_record(group_id, _MADE_EPOCH, 0))
        return draft.result(None)

    def delete(self, group: ShareGroup) -> Replayed[None]:
        """Write that there is nothing of a group any more."""
        draft = self._draft(group)
        for record in records.without_group(group):
            draft.add(record)
        return draft.result(None)

    def set_read(self, group: ShareGroup, read: frozenset[Place]) -> Replayed[None]:
        """It is kept of these partitions, and of no others, what the group has read."""
        draft = self._draft(group)
        draft.add(records.read_record(group.group_id, read, self._topics.name_of))
        return draft.result(None)

    def deadline(self, group: ShareGroup) -> int | None:
        """When the next thing happens to a group by itself."""
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
    """A broker has begun to coordinate a group: sessions begin.

    Its clock may be behind that of the last assignment: the next one does not wait for that.
    """
    group.assigned_at_ms = min(group.assigned_at_ms, now)
    for member_id in group.members:
        group.sessions[member_id] = now + settings.session_ms


def assign(
    members: Mapping[str, ShareMember], topics: Mapping[str, KnownTopic]
) -> dict[str, frozenset[Place]]:
    """Every partition has a member, and every subscriber has partitions: one may be several's.

    Source: KIP-932; Kafka's SimpleAssignor.
    """
    shares: dict[str, set[Place]] = {name: set() for name in members}
    for topic, (topic_id, count) in sorted(topics.items()):
        names = sorted(name for name, one in members.items() if topic in one.topics)
        for index in range(max(count, len(names)) if names else 0):
            shares[names[index % len(names)]].add(Place(topic_id, index % count))
    return {name: frozenset(share) for name, share in shares.items()}


def _is_idle(group: ShareGroup, asked: ShareBeat, topics: TopicsView) -> bool:
    """Whether nothing has happened, neither to the member nor to its group. The usual case."""
    member = group.members.get(asked.member_id)
    return (
        member is not None
        and member.epoch == asked.epoch == group.epoch == group.assignment_epoch
        and group.topics_seen == topics.changes
        and asked.topics is None
        and asked.rack_id is None
        and (asked.client_id, asked.client_host) == (member.client_id, member.client_host)
    )


def _known(group: ShareGroup, asked: ShareBeat, settings: ShareSettings) -> ShareMember:
    member = group.members.get(asked.member_id)
    if member is None:
        if asked.epoch != JOINS:
            raise BrokerError(
                ErrorCode.UNKNOWN_MEMBER_ID,
                f"Member {asked.member_id} is not a member of group {asked.group_id}.",
            )
        if len(group.members) >= settings.max_size:
            raise BrokerError(
                ErrorCode.GROUP_MAX_SIZE_REACHED,
                f"The share group has reached its maximum capacity of {settings.max_size} members.",
            )
        return ShareMember(member_id=asked.member_id)
    if asked.epoch > 0 and asked.epoch not in {member.epoch, member.previous_epoch}:
        raise BrokerError(
            ErrorCode.FENCED_MEMBER_EPOCH,
            f"The share group member has another member epoch ({asked.epoch}) than the one known "
            f"by the group coordinator ({member.epoch}). The member must rejoin.",
        )
    return member


def _updated(member: ShareMember, asked: ShareBeat) -> ShareMember:
    return replace(
        member,
        rack_id=member.rack_id if asked.rack_id is None else asked.rack_id,
        client_id=asked.client_id,
        client_host=asked.client_host,
        topics=member.topics if asked.topics is None else tuple(sorted(set(asked.topics))),
    )
