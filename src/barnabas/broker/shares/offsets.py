"""ShareOffsets: the offsets of share groups, for administrators to read and change."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from barnabas.broker.groups.group_shards import GroupShards, Held
from barnabas.broker.purgatory.latch import CodeLatch
from barnabas.broker.purgatory.pending import Pending
from barnabas.broker.purgatory.stepping import Steps
from barnabas.broker.shards.record_names import check_kept
from barnabas.broker.shares.partitions import ClusterStates, SharePartitions
from barnabas.broker.topics.topics import Topics
from barnabas.coordinators.common.topic_partitions import TopicIdPartition, by_topic
from barnabas.coordinators.share_group.group import ShareGroup
from barnabas.coordinators.share_state.states import UNKNOWN, StateKey
from barnabas.errors import BrokerError, ErrorCode
from barnabas.types import Topic, TopicPartition

Codes = Mapping[TopicIdPartition, ErrorCode]

_AT_ONCE = 64
"""Partitions that are changed together, and written together: two milliseconds."""


class ShareProgress(NamedTuple):
    """Where a group is in a partition, and how many records it has not done with; -1: not known."""

    code: ErrorCode = ErrorCode.NONE
    start: int = -1
    lag: int = -1


class ShareOffsets:
    """The offsets of all share groups. For one thread."""

    def __init__(
        self,
        topics: Topics,
        shards: GroupShards,
        partitions: SharePartitions,
        routed: ClusterStates | None = None,
    ) -> None:
        """`routed`: where a cluster keeps them."""
        self._routed = routed
        self._topics = topics
        self._shards = shards
        self._partitions = partitions

    def read_by(self, group: ShareGroup) -> dict[str, Sequence[int]]:
        """The partitions that a group has read, by the names of topics that are still there."""
        found = ((self._topics.by_id(each), has) for each, has in by_topic(group.read).items())
        return {topic.name: indexes for topic, indexes in found if topic is not None}

    def of(self, group_id: str, topic: Topic | None, index: int) -> Steps[ShareProgress]:
        """Where a group is in a partition, if that is there."""
        if topic is None:
            return ShareProgress()
        key = StateKey(group_id, TopicIdPartition(topic.topic_id, index))
        if self._routed is None:
            return self._here(key)
        pending = Pending()
        self._routed.states.look(key, lambda code, found: pending.complete((code, found)))
        code, found = yield pending
        if code or found.start == UNKNOWN:
            return ShareProgress(code)
        place = TopicPartition(topic.name, index)
        partition = self._shards.replicas.find(*place)
        if partition is not None and partition.role is not None and partition.role.leads:
            end = partition.log.high_watermark
        else:
            asked = Pending()
            self._routed.ends.ask(place, asked.complete)
            end = yield asked
        lag = end if end < 0 else max(end - found.start - max(found.done, 0), 0)
        return ShareProgress(ErrorCode.NONE, found.start, lag)

    def _here(self, key: StateKey) -> ShareProgress:
        try:
            start = self._partitions.stored.start_of(key)
            if start is None:
                return ShareProgress()
            return ShareProgress(ErrorCode.NONE, start, self._partitions.lag_of(key))
        except BrokerError as error:
            return ShareProgress(error.code)

    def move(self, group_id: str, starts: Mapping[TopicIdPartition, int]) -> Steps[Codes]:
        """Have a group without members begin elsewhere; what became of it when that is kept.

        It is made if it is not there and there is where to begin.

        Raises:
            BrokerError: it has no name, a group of another kind is called so, or it has members.
        """
        if starts and group_id:
            self._make(group_id)
        held, group = self._without_members(group_id)
        self._set_read(held, group, group.read | starts.keys())

        def begin(place: TopicIdPartition, respond: Callable[[ErrorCode], None]) -> None:
            self._partitions.stored.move(StateKey(group_id, place), starts[place], respond)

        return (yield from _some_by_some(tuple(starts), begin))

    def forget(self, group_id: str, places: Sequence[TopicIdPartition]) -> Steps[Codes]:
        """Keep nothing more of these partitions; what became of it when that is written.

        Raises:
            BrokerError: there is no such share group, or it has members.
        """
        held, group = self._without_members(group_id)
        self._set_read(held, group, group.read.difference(places))

        def begin(place: TopicIdPartition, respond: Callable[[ErrorCode], None]) -> None:
            self._partitions.stored.forget(StateKey(group_id, place), respond)

        return (yield from _some_by_some(places, begin))

    def forget_topic(self, topic_id: bytes) -> Steps[None]:
        """No group has read a topic that is deleted."""
        for index in self._shards.indexes():
            with suppress(BrokerError):
                held = yield from self._shards.at_in_steps(index)
                for group in held.shard.share.all():
                    left = frozenset(one for one in group.read if one.topic_id != topic_id)
                    if left != group.read:
                        self._set_read(held, group, left)

    def group(self, group_id: str) -> ShareGroup:
        """A share group.

        Raises:
            BrokerError: GROUP_ID_NOT_FOUND: there is none of that name; INVALID_GROUP_ID: it is none.
        """
        return self._find(group_id)[1]

    def find(self, group_id: str) -> ShareGroup | None:
        """The same; None where there is none.

        Raises:
            BrokerError: COORDINATOR_NOT_AVAILABLE.
        """
        held = self._shards.find(group_id)
        return None if held is None else held.shard.share.get(group_id)

    def _find(self, group_id: str) -> tuple[Held, ShareGroup]:
        if not group_id:
            raise BrokerError(ErrorCode.INVALID_GROUP_ID, "The group id is empty.")
        held = self._shards.find(group_id)
        group = None if held is None else held.shard.share.get(group_id)
        if held is None or group is None:
            raise BrokerError(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group_id} not found.")
        return held, group

    def _make(self, group_id: str) -> None:
        check_kept(group_id)
        held = self._shards.of(group_id)
        if held.shard.kind_of(group_id) is None:
            self._shards.append_or_restore(held, held.shard.share.make(group_id))

    def _without_members(self, group_id: str) -> tuple[Held, ShareGroup]:
        held, group = self._find(group_id)
        if group.members:
            raise BrokerError(ErrorCode.NON_EMPTY_GROUP, "The group is not empty.")
        return held, group

    def _set_read(self, held: Held, group: ShareGroup, read: frozenset[TopicIdPartition]) -> None:
        self._shards.append_or_restore(held, held.shard.share.set_read(group, read))


def _some_by_some(
    places: Sequence[TopicIdPartition],
    begin: Callable[[TopicIdPartition, Callable[[ErrorCode], None]], None],
) -> Steps[Codes]:
    """What became of each: `begin` reports it, or raises a BrokerError."""
    codes: dict[TopicIdPartition, ErrorCode] = {}
    for first in range(0, len(places), _AT_ONCE):
        some = places[first : first + _AT_ONCE]
        pending = Pending()
        latch = CodeLatch(some, pending.complete)
        for place in some:
            latch.begin(place, partial(begin, place))
        codes |= yield pending
    return codes
