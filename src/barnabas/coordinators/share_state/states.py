"""ShareStates: the progress of share groups, of one partition of __share_group_state.

A snapshot has the whole state of a partition; an update, which Kafka writes between two snapshots,
the changes since. This broker writes only snapshots: they are small, because the start advances
past records that are done. Source: KIP-932; Kafka's ShareCoordinatorShard.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from barnabas.coordinators.common.record_kinds import Layouts, encode_record, read_record
from barnabas.coordinators.common.shard import CoordinatorRecord
from barnabas.coordinators.common.topic_partitions import TopicIdPartition
from barnabas.coordinators.share_partition.spans import DeliveryState, Span
from barnabas.coordinators.share_state.combining import combined
from barnabas.errors import DecodeError
from barnabas.protocol.internal import share_state_records as layouts
from barnabas.types import Buffer

_SNAPSHOT, _UPDATE = 0, 1
_KINDS: Mapping[int, Layouts] = {
    _SNAPSHOT: Layouts(layouts.ShareSnapshotKey, layouts.ShareSnapshotValue),
    _UPDATE: Layouts(layouts.ShareUpdateKey, layouts.ShareUpdateValue),
}
UNKNOWN = -1
"""The start of a partition that was never read."""


class StateKey(NamedTuple):
    """Which partition of which group."""

    group_id: str
    topic_partition: TopicIdPartition


class ShareState(NamedTuple):
    """The state of a partition: nothing below `start` is delivered again.

    `leader_epoch` is that of its writer, `done` the number of done records after the start (-1: not
    reported).
    """

    start: int = UNKNOWN
    spans: tuple[Span, ...] = ()
    state_epoch: int = 0
    leader_epoch: int = 0
    done: int = UNKNOWN
    snapshot_epoch: int = 0
    created_ms: int = 0


class ShareStates:
    """All states of one partition of the topic. Changes through `replay` only."""

    def __init__(self) -> None:
        self._states: dict[StateKey, ShareState] = {}

    def get(self, key: StateKey) -> ShareState | None:
        """The stored state; None: there never was one."""
        return self._states.get(key)

    def keys(self) -> Iterator[StateKey]:
        """The partitions and groups with a stored state."""
        return iter(tuple(self._states))

    def snapshot(self, key: StateKey, state: ShareState, now_ms: int) -> CoordinatorRecord:
        """The record of a state, with the number of its snapshot and the time of the first."""
        was = self._states.get(key, ShareState(created_ms=now_ms))
        value = layouts.ShareSnapshotValue(
            snapshot_epoch=was.snapshot_epoch + 1,
            state_epoch=state.state_epoch,
            leader_epoch=state.leader_epoch,
            start_offset=state.start,
            delivery_complete_count=state.done,
            create_timestamp=was.created_ms,
            write_timestamp=now_ms,
            state_batches=[
                layouts.StateBatch(
                    first_offset=one.first,
                    last_offset=one.last,
                    delivery_state=one.state,
                    delivery_count=one.count,
                )
                for one in state.spans
            ],
        )
        return encode_record(_SNAPSHOT, _key(key), value)

    def removal(self, key: StateKey) -> CoordinatorRecord:
        """The record that deletes the state."""
        return encode_record(_SNAPSHOT, _key(key), None)

    def replay(self, key: Buffer | None, value: Buffer | None) -> None:
        """Apply one record; see `CoordinatorShard`."""
        found = read_record(key, value, _KINDS)
        if found is None:
            return
        of, decoded = found.key, found.value
        # A group has thousands of states, and one name.
        group_id, topic_id = sys.intern(of.group_id), bytes(of.topic_id)
        topic_partition = StateKey(group_id, TopicIdPartition(topic_id, of.partition))
        if decoded is None:
            if found.kind == _SNAPSHOT:
                self._states.pop(topic_partition, None)
            return
        spans = tuple(_spans(decoded.state_batches))
        if isinstance(decoded, layouts.ShareSnapshotValue):
            self._states[topic_partition] = ShareState(
                decoded.start_offset, spans, decoded.state_epoch, decoded.leader_epoch,
                decoded.delivery_complete_count, decoded.snapshot_epoch, decoded.create_timestamp,
            )  # fmt: skip
        else:
            was = self._states.get(topic_partition, ShareState())
            start = was.start if decoded.start_offset == UNKNOWN else decoded.start_offset
            self._states[topic_partition] = was._replace(
                start=start,
                spans=combined((*was.spans, *spans), start),
                leader_epoch=decoded.leader_epoch,
                done=decoded.delivery_complete_count,
            )


def _key(key: StateKey) -> layouts.ShareSnapshotKey:
    return layouts.ShareSnapshotKey(
        group_id=key.group_id,
        topic_id=key.topic_partition.topic_id,
        partition=key.topic_partition.partition,
    )


def _spans(batches: Iterable[layouts.StateBatch]) -> Iterable[Span]:
    known = set(DeliveryState)
    for one in batches:
        if one.delivery_state not in known or one.last_offset < one.first_offset:
            raise DecodeError("state_batches", 0, "a state that there is, of offsets in order")
        state = DeliveryState(one.delivery_state)
        yield Span(one.first_offset, one.last_offset, state, one.delivery_count)
