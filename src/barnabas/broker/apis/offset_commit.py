"""OffsetCommit (key 8): keep positions of a group.

Does: commits of members, and from outside of a membership (generation -1), as of consumers that
    assign partitions to themselves, while the group has no members; answers when the records are
    written. A member that commits is alive.
Refuses: who is no member, or of another generation; commits amid a rebalance. Of a consumer group:
    who had the partition not yet in the epoch that it names.
Versions: 0 kept apart, as Kafka did in ZooKeeper · 1 times of commits · 2 retention time
    5 no retention time (KIP-211) · 6 leader epochs · 7 static members
    9 other error for unknown groups (KIP-848) · 10 topic ids
"""

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.stepping import Steps, at_once, each
from barnabas.broker.requests.commit_runs import commit_run
from barnabas.coordinators.classic_group.member import Identity
from barnabas.coordinators.offsets.commit import Commit
from barnabas.coordinators.offsets.offset_records import NO_EXPIRY, CommittedOffset, Position
from barnabas.coordinators.offsets.offsets import is_too_long
from barnabas.dialects.commands import CommitOffset, CommitOffsets, CommitRun
from barnabas.errors import BrokerError, ErrorCode, StorageError
from barnabas.types import new_tuple
from barnabas.versions import VersionRange, VersionTable


class Rules(NamedTuple):
    """What depends on the version. `unknown_group`: what a member of no group is told."""

    unknown_group: ErrorCode
    in_registry: bool = False
    knows_epochs: bool = False
    by_id: bool = False


_TABLE = VersionTable(
    {
        0: Rules(ErrorCode.ILLEGAL_GENERATION, in_registry=True),
        1: Rules(ErrorCode.ILLEGAL_GENERATION),
        9: Rules(ErrorCode.GROUP_ID_NOT_FOUND, knows_epochs=True),
        10: Rules(ErrorCode.GROUP_ID_NOT_FOUND, knows_epochs=True, by_id=True),
    }
)
_RULES = {version: _TABLE[version] for version in VersionRange.parse("0-10")}
_NOT_THERE = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
_FEW = 256
"""Partitions whose offsets are gathered in a step: less than a millisecond."""
_LAST_MS = 2**63 - 1
"""The latest time that a record can say; a client may ask for more."""


def handle(broker: Broker, context: RequestContext, asked: CommitOffsets | CommitRun) -> object:
    """Commit what is for partitions that there are; the others are told so.

    None: requests that came together are to be handled one by one.
    """
    if isinstance(asked, CommitRun):
        taken = commit_run(broker, asked.rows, by_id=_RULES[context.api_version].by_id)
        if taken is not None or len(asked.rows) > 1:
            return taken
        asked = asked.first
    rules = _RULES[context.api_version]
    steps = _keep_in_registry(broker, asked) if rules.in_registry else _commit(broker, rules, asked)
    if not rules.in_registry and sum(len(one.offsets) for one in asked.topics) <= _FEW:
        return at_once(steps)
    return broker.stepping.run(steps)


def _commit(broker: Broker, rules: Rules, asked: CommitOffsets) -> Steps[object]:
    """All of it is one batch, which is written or refused as a whole."""
    group_id, generation, member_id, instance_id, retention_ms, topics = asked
    known, by_id = broker.topics, rules.by_id
    missing = ErrorCode.UNKNOWN_TOPIC_ID if by_id else _NOT_THERE
    now_ms = broker.clock.time_ms()
    expires = NO_EXPIRY if retention_ms < 0 else min(now_ms + retention_ms, _LAST_MS)
    offsets: dict[Position, CommittedOffset] = {}
    places: list[Position | ErrorCode] = []
    for name, topic_id, wanted in topics:
        topic = known.by_id(topic_id) if by_id else known.get(name)
        for first in range(0, len(wanted), _FEW):
            for index, offset, epoch, metadata, time in wanted[first : first + _FEW]:
                if topic is None or index not in topic.partitions:
                    places.append(missing if topic is None else _NOT_THERE)
                    continue
                place = new_tuple(Position, (topic.name, index))
                places.append(place)
                when = now_ms if time < 0 else time
                kept = (offset, epoch, metadata, when, expires, topic.topic_id)
                offsets[place] = new_tuple(CommittedOffset, kept)
            yield

    def respond(codes: Mapping[Position, ErrorCode]) -> list[ErrorCode]:
        return [codes[place] if isinstance(place, Position) else place for place in places]

    who = new_tuple(Identity, (member_id, instance_id))
    commit = new_tuple(
        Commit, (group_id, who, generation, offsets, rules.unknown_group, False, rules.knows_epochs)
    )
    try:
        return broker.offsets.commit(commit, respond)
    except BrokerError as error:
        return respond(dict.fromkeys(offsets, error.code))


def _keep_in_registry(broker: Broker, asked: CommitOffsets) -> Steps[list[ErrorCode]]:
    codes: list[ErrorCode] = []
    for name, _, wanted in asked.topics:
        codes += yield from each(wanted, partial(_keep, broker, asked.group_id, name))
    return codes


def _keep(broker: Broker, group: str, name: str, asked: CommitOffset) -> ErrorCode:
    topic = broker.topics.get(name)
    if topic is None or asked.partition not in topic.partitions:
        return _NOT_THERE
    if is_too_long(asked.metadata, broker.config.offset_metadata_max_bytes):
        return ErrorCode.OFFSET_METADATA_TOO_LARGE
    try:
        broker.registry_offsets.commit(group, name, asked.partition, asked.offset)
    except StorageError:
        # Also of a name that ZooKeeper refuses: there is no other word for it in Kafka.
        return ErrorCode.UNKNOWN_SERVER_ERROR
    return ErrorCode.NONE
