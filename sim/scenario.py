"""Scenario: what a seed stands for: the broker's properties, who is there, which faults there may be."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sim.events import Place
from sim.groups.group_kind import GroupKind
from sim.world.entropy import SeededEntropy

TOPIC = "t"
COPIES = "copies"
GROUP, COPIERS_GROUP, SHARERS_GROUP = "g", "copiers", "sharers"
STREAMERS_GROUP = "streamers"
CONSUMER_SESSION_MS = SHARE_SESSION_MS = STREAMS_SESSION_MS = 8_000
_SEGMENT_MS, _LONG_MS = 10_000, 604_800_000
"""A fetch reads one segment: whoever has fallen behind is to catch up all the same."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """Drawn from a seed; the same for the same seed."""

    partitions: int
    flushes: bool
    """`log.flush.interval.messages=1`: what is acknowledged survives a power cut."""
    cuts_power: bool
    members: int
    static_members: int
    """So many of the members have a name of their own (KIP-345)."""
    producers: int
    rounds: int
    """Of each producer."""
    faults: int
    trouble_seconds: float
    """Faults happen within these."""
    release: str
    """Of the profile that the broker has; segments may be smaller in the older one."""
    transactors: int
    transactions: int
    """Of each transactional producer. There are none where a power cut may take markers."""
    kind: GroupKind
    """Of the group that all members are in."""
    copiers: int
    copiers_kind: GroupKind
    sharers: int
    """Members of a share group."""
    lock_ms: int
    """How long one of them has a record for itself."""
    deliveries: int
    """How often a record is delivered to them at most."""
    streamers: int
    """Members of a streams group, two of each process."""
    standbys: int
    """So many standby tasks each of its tasks with state is to have."""
    changes_builds: bool
    """Whether they come back with other topologies than they had."""
    ends: int
    """So often one of them asks that all end."""
    timestamp_ms: int | None
    """Of the records of all producers without transactions; None: of when they send them."""
    kills_unanswered: int
    """So often the broker dies when a producer has all batches on their way, answers with it."""
    clerks: int
    """They commit for groups without members, and have that removed; none where it may be lost."""
    topic_properties: Mapping[str, str]
    """Of the topics that producers and copiers write to."""
    properties: Mapping[str, object]

    @property
    def places(self) -> tuple[Place, ...]:
        """The partitions that producers write to."""
        return tuple((TOPIC, index) for index in range(self.partitions))


_OLD_MS = 1_357_000_000_000  # of 2013


def copy_of(place: Place) -> Place:
    """Where copiers put what is in a partition."""
    return COPIES, place[1]


def drawn(entropy: SeededEntropy) -> Scenario:
    """One scenario."""
    scenario = _with_numbered_batches(_drawn(entropy), entropy.stream("numbered"))
    if scenario.release:
        return scenario
    # What came with Kafka 4.
    kind = entropy.one_of((GroupKind.CLASSIC, GroupKind.CONSUMER, GroupKind.MIXED))
    copiers_kind = entropy.one_of((GroupKind.CLASSIC, GroupKind.CONSUMER, GroupKind.MIXED))
    sharers = 1 + entropy.below(3) if entropy.chance(0.5) else 0
    lock_ms, deliveries = entropy.one_of((2_000, 4_000)), entropy.one_of((2, 4, 5, 10))
    interval_ms = entropy.one_of((0, 1_000))
    streamers = 1 + entropy.below(5) if entropy.chance(0.6) else 0
    standbys, delay_ms = entropy.below(3), entropy.one_of((0, 1_500))
    changes_builds, ends = entropy.chance(0.5), entropy.below(4)
    # Segments may not be as small as in the older release, but as short-lived.
    rolling = entropy.stream("rolling")
    topic_segment_ms = rolling.one_of((_SEGMENT_MS, _LONG_MS))
    properties: dict[str, object] = {
        "log.roll.ms": rolling.one_of((300, 2_000, _LONG_MS)),
        "log.cleaner.backoff.ms": rolling.one_of((500, 500, 15_000)),
        "log.cleaner.delete.retention.ms": rolling.one_of((0, 5_000, _LONG_MS)),
        "group.consumer.session.timeout.ms": CONSUMER_SESSION_MS,
        "group.consumer.min.session.timeout.ms": CONSUMER_SESSION_MS,
        "group.consumer.heartbeat.interval.ms": 1_000,
        "group.consumer.min.heartbeat.interval.ms": 1_000,
        "group.consumer.assignment.interval.ms": interval_ms,
        "group.share.session.timeout.ms": SHARE_SESSION_MS,
        "group.share.min.session.timeout.ms": SHARE_SESSION_MS,
        "group.share.heartbeat.interval.ms": 1_000,
        "group.share.min.heartbeat.interval.ms": 1_000,
        "group.share.assignment.interval.ms": interval_ms,
        "group.share.record.lock.duration.ms": lock_ms,
        "group.share.min.record.lock.duration.ms": 1_000,
        "group.share.delivery.count.limit": deliveries,
        "group.streams.session.timeout.ms": STREAMS_SESSION_MS,
        "group.streams.min.session.timeout.ms": STREAMS_SESSION_MS,
        "group.streams.assignment.interval.ms": interval_ms,
        "group.streams.initial.rebalance.delay.ms": delay_ms,
        "group.streams.num.standby.replicas": standbys,
        "share.coordinator.state.topic.num.partitions": 1 + entropy.below(3),
    }
    if GroupKind.MIXED in {kind, copiers_kind} and entropy.stream("policy").chance(0.3):
        # A group then stays as it is when those that send heartbeats have gone.
        properties["group.consumer.migration.policy"] = "upgrade"
    clerks = rolling.below(3)
    return replace(
        scenario,
        kind=kind,
        copiers_kind=copiers_kind,
        sharers=sharers,
        lock_ms=lock_ms,
        deliveries=deliveries,
        streamers=streamers,
        standbys=standbys,
        changes_builds=changes_builds,
        ends=ends if streamers else 0,
        clerks=clerks if scenario.flushes or not scenario.cuts_power else 0,
        topic_properties={**scenario.topic_properties, "segment.ms": str(topic_segment_ms)},
        properties={**scenario.properties, **properties},
    )


def _with_numbered_batches(scenario: Scenario, entropy: SeededEntropy) -> Scenario:
    """What may make a broker take a batch twice."""
    is_old = entropy.chance(0.3)
    interval = {"producer.id.expiration.check.interval.ms": 1_000}
    return replace(
        scenario,
        timestamp_ms=_OLD_MS if is_old else None,
        kills_unanswered=entropy.below(4) if scenario.faults else 0,
        topic_properties={"retention.ms": "-1"} if is_old else {},
        properties={**scenario.properties, **interval},
    )


def _drawn(entropy: SeededEntropy) -> Scenario:
    """What brokers of all releases have."""
    flushes = entropy.chance(0.5)
    members = 1 + entropy.below(5)
    release = entropy.one_of(("", "3.9"))
    sizes = (1_500, 10_000, 1 << 30) if release else (1 << 30,)
    cuts_power = entropy.chance(0.7 if flushes else 0.3)
    return Scenario(
        partitions=1 + entropy.below(6),
        flushes=flushes,
        cuts_power=cuts_power,
        members=members,
        static_members=entropy.below(members + 1) if entropy.chance(0.4) else 0,
        producers=1 + entropy.below(3),
        rounds=10 + entropy.below(20),
        faults=entropy.below(25),
        trouble_seconds=entropy.between(15.0, 60.0),
        release=release,
        transactors=entropy.below(3) if flushes or not cuts_power else 0,
        transactions=4 + entropy.below(12),
        kind=GroupKind.CLASSIC,
        copiers=entropy.below(3) if flushes or not cuts_power else 0,
        copiers_kind=GroupKind.CLASSIC,
        sharers=0,
        lock_ms=0,
        deliveries=0,
        streamers=0,
        standbys=0,
        changes_builds=False,
        ends=0,
        timestamp_ms=None,
        kills_unanswered=0,
        clerks=0,
        topic_properties={},
        properties={
            "log.flush.interval.messages": 1 if flushes else 2**63 - 1,
            "offsets.topic.num.partitions": 1 + entropy.below(3),
            "offsets.topic.segment.bytes": entropy.one_of(sizes),
            "log.segment.bytes": entropy.one_of(sizes),
            "log.flush.offset.checkpoint.interval.ms": entropy.one_of((2_000, 60_000)),
            "transaction.state.log.num.partitions": 1 + entropy.below(3),
            "transaction.state.log.segment.bytes": entropy.one_of(sizes),
            "transaction.abort.timed.out.transaction.cleanup.interval.ms": 2_000,
            "log.cleaner.backoff.ms": entropy.one_of((500, 15_000)),
            "log.cleaner.min.cleanable.ratio": entropy.one_of((0.01, 0.5)),
            "group.initial.rebalance.delay.ms": entropy.one_of((0, 500, 3_000)),
        },
    )
