"""The groups of one partition of __consumer_offsets, of all kinds, as its records make them.

Offsets change by replay alone. As in Kafka, what a classic group does between two generations is
not in the log: a record holds a group at the end of its last rebalance, and replay restores that.
"""

from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum

from barnabas.coordinators.classic_group.group import ClassicGroup
from barnabas.coordinators.classic_group.group_records import decode_group, decode_group_key
from barnabas.coordinators.classic_group.settings import GroupSettings
from barnabas.coordinators.classic_group.snapshot import group_of
from barnabas.coordinators.common.undo import Undo, restore_entries
from barnabas.coordinators.consumer_group.environment import GroupEnvironment
from barnabas.coordinators.consumer_group.group import ConsumerGroup
from barnabas.coordinators.consumer_group.groups import ConsumerGroups
from barnabas.coordinators.offsets.offsets import OffsetsShard
from barnabas.coordinators.share_group.group import ShareGroup
from barnabas.coordinators.share_group.groups import ShareGroups
from barnabas.coordinators.streams_group.group import StreamsGroup
from barnabas.coordinators.streams_group.groups import StreamsGroups
from barnabas.types import Buffer

Modern = ConsumerGroup | ShareGroup | StreamsGroup
"""A group with broker-side assignment."""


class GroupKind(StrEnum):
    """The kinds of groups, by Kafka's names."""

    CLASSIC = "classic"
    CONSUMER = "consumer"
    SHARE = "share"
    STREAMS = "streams"


class KnownGroups:
    """Groups, with or without members. Classic ones may have nothing but offsets."""

    def __init__(
        self, settings: GroupSettings, metadata_max_bytes: int, environment: GroupEnvironment
    ) -> None:
        self._settings = settings
        self.consumer = ConsumerGroups(environment, settings, self.replay)
        self.share = ShareGroups(environment.topics, self.replay)
        self.streams = StreamsGroups(environment.topics, self.replay)
        self.offsets = OffsetsShard(metadata_max_bytes)
        self._groups: dict[str, ClassicGroup] = {}
        self.group: Callable[[str], ClassicGroup | None] = self._groups.get
        """A group that has had members; None also for one that has only offsets."""

    def group_to_join(self, group_id: str) -> ClassicGroup:
        """The classic group, created if missing. If the join fails, `forget` it."""
        group = self._groups.get(group_id)
        if group is None:
            group = self._groups[group_id] = ClassicGroup(group_id, self._settings)
        return group

    def groups(self) -> Iterator[ClassicGroup]:
        """All classic groups that have had members."""
        return iter(tuple(self._groups.values()))

    def view(self, group_id: str) -> ClassicGroup | None:
        """A read-only view of a classic group. One with offsets only is empty, and has no protocol."""
        known = self._groups.get(group_id)
        if known is None and self._modern(group_id) is None and self.offsets.has(group_id):
            return ClassicGroup(group_id, self._settings)
        return known

    def _modern(self, group_id: str) -> Modern | None:
        share = self.share.get(group_id) or self.streams.get(group_id)
        return self.consumer.get(group_id) or share

    def kind_of(self, group_id: str) -> GroupKind | None:
        """The kind of a group; None: there is none of that name."""
        match self._modern(group_id):
            case ConsumerGroup():
                return GroupKind.CONSUMER
            case ShareGroup():
                return GroupKind.SHARE
            case StreamsGroup():
                return GroupKind.STREAMS
            case None:
                return None if self.view(group_id) is None else GroupKind.CLASSIC

    def views(self) -> Iterator[ClassicGroup]:
        """Views of all classic groups."""
        yield from self.groups()
        for group_id in self.offsets.groups():
            if group_id not in self._groups and self._modern(group_id) is None:
                yield ClassicGroup(group_id, self._settings)

    def forget(self, group_id: str) -> None:
        """Drop a group that has nothing left."""
        self._groups.pop(group_id, None)

    def take_back(self, groups: Iterable[ClassicGroup]) -> None:
        """Restore groups whose deletion could not be written."""
        for group in groups:
            self._groups.setdefault(group.group_id, group)

    def replay(
        self, key: Buffer | None, value: Buffer | None, undo_log: list[Undo] | None = None
    ) -> None:
        """Apply one record of the log, and add its undo to `undo_log`; see `CoordinatorShard`."""
        if self.consumer.replay(key, value, undo_log) or self.share.replay(key, value, undo_log):
            return
        if self.streams.replay(key, value, undo_log):
            return
        group_id = None if key is None else decode_group_key(key)
        if group_id is None:
            self.offsets.replay(key, value)
            return
        if undo_log is not None:
            undo_log.append(restore_entries(group_id, self._groups))
        if value is None:
            self._groups.pop(group_id, None)
        else:
            self._groups[group_id] = group_of(group_id, self._settings, decode_group(value))
