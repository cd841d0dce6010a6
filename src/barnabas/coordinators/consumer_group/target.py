"""Group epochs and target assignments: when they change, and the records for it."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from hashlib import blake2b

from barnabas.coordinators.common.assignment import Assignor, Subscriptions
from barnabas.coordinators.common.draft import RecordDraft
from barnabas.coordinators.common.topic_partitions import KnownTopic, TopicsView
from barnabas.coordinators.consumer_group import records
from barnabas.coordinators.consumer_group.group import ConsumerGroup, ResolvedRegex
from barnabas.coordinators.consumer_group.range_assignor import assign as assign_ranges
from barnabas.coordinators.consumer_group.regexes import matching
from barnabas.coordinators.consumer_group.settings import ConsumerSettings
from barnabas.coordinators.consumer_group.uniform_assignor import assign as assign_uniformly
from barnabas.errors import BrokerError

BEFORE_THE_FIRST = 1
"""The first epoch is 2, so that no member ever was in the one before it. Source: Kafka 4.3."""

ASSIGNORS: Mapping[str, Assignor] = {"uniform": assign_uniformly, "range": assign_ranges}


def resolve(
    draft: RecordDraft, group: ConsumerGroup, regex: str, topics: TopicsView, now: int
) -> None:
    """Match an expression with the topics, and store the result if it changed.

    Raises:
        BrokerError: INVALID_REGULAR_EXPRESSION.
    """
    found = matching(regex, topics.names())
    known = group.regexes.get(regex)
    if known is None or known.topics != found:
        resolved = ResolvedRegex(found, topics.changes, now)
        draft.add(records.regex_record(group.group_id, regex, resolved))


def refresh(
    draft: RecordDraft,
    group: ConsumerGroup,
    topics: TopicsView,
    now: int,
    *,
    has_news: bool,
    matches: bool = False,
) -> None:
    """Start the next epoch if a subscription (`has_news`) or the topics have changed.

    Only a caller that `matches` compares expressions with new topics, which may take long.
    """
    if not has_news and group.volatile.topics_seen == topics.changes:
        return
    for regex in group.unused_regexes():
        draft.add(records.no_regex(group.group_id, regex))
    if matches and group.volatile.topics_seen != topics.changes:
        for regex in sorted(group.regexes):
            # One that this broker cannot read any more matches what it did.
            with suppress(BrokerError):
                resolve(draft, group, regex, topics, now)
    found = hash_of(known_topics(group.subscribed(), topics))
    if has_news or found != group.metadata_hash:
        epoch = max(group.epoch, BEFORE_THE_FIRST) + 1
        draft.add(records.epoch_record(group.group_id, epoch, found))
    if matches or not group.regexes:
        group.volatile.topics_seen = topics.changes


def known_topics(names: Iterable[str], topics: TopicsView) -> dict[str, KnownTopic]:
    """The existing topics among these, in the order of their names."""
    found = {name: topics.find(name) for name in sorted(names)}
    return {name: topic for name, topic in found.items() if topic is not None}


def hash_of(topics: Mapping[str, KnownTopic]) -> int:
    """A hash of topics and their numbers of partitions.

    It is compared only within this broker; other brokers may compute another one.
    """
    if not topics:
        return 0
    digest = blake2b(digest_size=8)
    for name, topic in topics.items():
        digest.update(f"{name}\0{topic.topic_id.hex()}\0{topic.partitions}\0".encode())
    return int.from_bytes(digest.digest(), "big", signed=True)


def assignment_due(group: ConsumerGroup, settings: ConsumerSettings) -> int | None:
    """When the next assignment may be made; None if none is pending."""
    if group.epoch <= group.assignment_epoch or not group.members:
        return None
    return group.assigned_at_ms and group.assigned_at_ms + settings.assignment_interval_ms


def retarget(
    draft: RecordDraft,
    group: ConsumerGroup,
    topics: TopicsView,
    settings: ConsumerSettings,
    now: int,
) -> None:
    """Make a new assignment if one is due (KIP-1263: not too often), and add its records."""
    due = assignment_due(group, settings)
    if due is None or due > now:
        return
    shares = ASSIGNORS[_assignor(group, settings)](_subscriptions(group, topics))
    for member_id in sorted(shares):
        if group.target.get(member_id) != shares[member_id]:
            draft.add(records.target_record(group.group_id, member_id, shares[member_id]))
    draft.add(records.assignment_epoch_record(group.group_id, group.epoch, now))


def _assignor(group: ConsumerGroup, settings: ConsumerSettings) -> str:
    preferred = group.preferred_assignor()
    return preferred if preferred in settings.assignors else settings.assignors[0]


def _subscriptions(group: ConsumerGroup, topics: TopicsView) -> Subscriptions:
    known = known_topics(group.subscribed(), topics)
    subscriptions: dict[str, frozenset[bytes]] = {}
    for member, names in group.members_alike():
        # One for all of them: thousands of topics may be a few characters of each member's expression.
        of_member = group.topics_of(member)
        same = frozenset(known[one].topic_id for one in of_member if one in known)
        subscriptions |= dict.fromkeys(names, same)
    return Subscriptions(
        subscriptions,
        {topic.topic_id: topic.partitions for topic in known.values()},
        group.target,
        {member_id: instance for instance, member_id in group.instances.items()},
    )
