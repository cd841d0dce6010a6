"""Commits of one position each that came together: decided one after the other, kept at once.

The short way of what `apis.offset_commit` has done for each of them, with the same records and replies,
where all of them are taken: of groups that nobody or a classic protocol coordinates, and for
partitions that there are.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple, cast

from barnabas.broker.broker import Broker
from barnabas.broker.groups.group_shards import GroupShards, Held
from barnabas.broker.purgatory.purgatory import Unwritten
from barnabas.broker.replicas.own_batch import ENOUGH
from barnabas.broker.shards.record_names import check_kept
from barnabas.broker.znodes.topic_znodes import Topic
from barnabas.coordinators.offsets.offset_records import CommittedOffset, Position, append_commits
from barnabas.coordinators.offsets.offsets import OffsetsShard, is_too_long
from barnabas.dialects.commands import CommitRow, Who
from barnabas.errors import BrokerError, ErrorCode
from barnabas.types import new_tuple

_SURE = 4 * ENOUGH
"""A batch is no larger with all that comes together added to it."""


class _Part(NamedTuple):
    """What follows each other and is of one group and for one topic."""

    held: Held
    group_id: str
    topic: Topic
    rows: list[CommitRow]


class _Outcome:
    """The codes of a run, told when its last part is written."""

    __slots__ = ("_codes", "_left", "pending")

    def __init__(self, rows: int, parts: int) -> None:
        self._codes = [ErrorCode.NONE] * rows
        self._left = parts
        self.pending = Unwritten()

    def on_written(
        self,
        offsets: OffsetsShard,
        group_id: str,
        said: list[tuple[Position, CommittedOffset]],
        first: int,
        code: ErrorCode,
    ) -> None:
        """Keep what a part said, whose first row is `first`; or it could not be written."""
        if code:
            not_written = [ErrorCode.COORDINATOR_NOT_AVAILABLE] * len(said)
            self._codes[first : first + len(said)] = not_written
        else:
            offsets.keep(group_id, said)
        self._left -= 1
        if not self._left:
            self.pending.complete(self._codes)


def commit_run(broker: Broker, rows: list[CommitRow], *, by_id: bool) -> Unwritten | None:
    """Keep them all; gives their codes when they are written. None: nothing has been done."""
    parts = _parts_of(broker, rows, by_id=by_id)
    if parts is None:
        return None
    now_ms = broker.clock.time_ms()
    outcome = _Outcome(len(rows), len(parts))
    first = 0
    for held, group_id, topic, part in parts:
        own = broker.groups.gathering(held)
        said = append_commits(own.records.append, own.now_ms, group_id, topic[:2], now_ms, part)
        own.join(partial(outcome.on_written, held.shard.offsets, group_id, said, first))
        first += len(part)
    return outcome.pending


def _parts_of(broker: Broker, rows: list[CommitRow], *, by_id: bool) -> list[_Part] | None:
    """The parts of what is all taken; None: some of it is not, or has to be looked at longer."""
    groups, known = broker.groups, broker.topics
    find = cast("Callable[[str | bytes], Topic | None]", known.by_id if by_id else known.get)
    most, now = broker.config.offset_metadata_max_bytes, groups.now_ms()
    parts: list[_Part] = []
    part: list[CommitRow] = []
    topic: Topic | None = None
    who: Who | None = None
    named: str | bytes | None = None
    for row in rows:
        _, asking, name, index, _, _, metadata = row
        if name is not named:
            named, who = name, None
            topic = find(name)
        if topic is None or index not in topic[2]:
            return None
        if metadata and is_too_long(metadata, most):
            return None
        if asking is who:
            part.append(row)
            continue
        who = asking
        held = _shard_that_takes(groups, who, now)
        if held is None:
            return None
        part = [row]
        parts.append(new_tuple(_Part, (held, who[0], topic, part)))
    return parts


def _shard_that_takes(groups: GroupShards, who: Who, now: int) -> Held | None:
    """Where the offsets of a group are kept, if they may commit; a member is heard by it."""
    try:
        check_kept(who[0])
        held = groups.of(who[0])
    except BrokerError:
        return None
    config = held.partition.log.config
    if not config.seen_when_written or config.max_message_bytes < _SURE:
        return None
    return held if held.shard.takes(who, now) else None
