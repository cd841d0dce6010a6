"""ShareStates: what share groups have read, of one partition of __share_group_state.

A snapshot says all of a partition; an update, which Kafka writes between two snapshots, what changed since.
This broker writes snapshots alone: they are small, as what is done with moves the start.
Source: KIP-932; Kafka's ShareCoordinatorShard.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from barnabas.coordinators.consumer_group.places import Place
from barnabas.coordinators.kinds import Layouts, encode_record, read_record
from barnabas.coordinators.shard import CoordinatorRecord
from barnabas.coordinators.share_partition.spans import Delivery, Span
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
    place: Place


class KeptState(NamedTuple):
    """What is kept of a partition: nothing below `start` is delivered again."""

    start: int = UNKNOWN
    spans: tuple[Span, ...] = ()
    state_epoch: int = 0
    snapshot_epoch: int = 0
    created_ms: int = 0


class ShareStates:
    """All states of one partition of the topic. Changes through `replay` only."""

    def __init__(self) -> None:
        self._states: dict[StateKey, KeptState] = {}

    def get(self, key: StateKey) -> KeptState | None:
        """What is kept; None: nothing ever was."""
        return self._states.get(key)

    def keys(self) -> Iterator[StateKey]:
        """Of which partitions and groups something is kept."""
        return iter(tuple(self._states))

    def snapshot(
        self, key: StateKey, start: int, spans: Iterable[Span], now_ms: int, state_epoch: int = -1
    ) -> CoordinatorRecord:
        """The record of a state. A `state_epoch` of its own says that somebody moved the start."""
        was = self._states.get(key, KeptState(created_ms=now_ms))
        value = layouts.ShareSnapshotValue(
            snapshot_epoch=was.snapshot_epoch + 1,
            state_epoch=was.state_epoch if state_epoch < 0 else state_epoch,
            leader_epoch=0,
            start_offset=start,
            create_timestamp=was.created_ms,
            write_timestamp=now_ms,
            state_batches=[
                layouts.StateBatch(
                    first_offset=one.first,
                    last_offset=one.last,
                    delivery_state=one.state,
                    delivery_count=one.count,
                )
                for one in spans
            ],
        )
        return encode_record(_SNAPSHOT, _key(key), value)

    def removal(self, key: StateKey) -> CoordinatorRecord:
        """The record that says that nothing is kept any more."""
        return encode_record(_SNAPSHOT, _key(key), None)

    def replay(self, key: Buffer | None, value: Buffer | None) -> None:
        """Take in one record; see `CoordinatorShard`."""
        found = read_record(key, value, _KINDS)
        if found is None:
            return
        of, said = found.key, found.value
        place = StateKey(of.group_id, Place(bytes(of.topic_id), of.partition))
        if said is None:
            if found.kind == _SNAPSHOT:
                self._states.pop(place, None)
            return
        spans = tuple(_spans(said.state_batches))
        if isinstance(said, layouts.ShareSnapshotValue):
            self._states[place] = KeptState(
                said.start_offset, spans, said.state_epoch, said.snapshot_epoch,
                said.create_timestamp,
            )  # fmt: skip
        else:
            was = self._states.get(place, KeptState())
            start = was.start if said.start_offset == UNKNOWN else said.start_offset
            self._states[place] = was._replace(start=start, spans=_over(was.spans, spans, start))


def _key(key: StateKey) -> layouts.ShareSnapshotKey:
    return layouts.ShareSnapshotKey(
        group_id=key.group_id, topic_id=key.place.topic_id, partition=key.place.partition
    )


def _spans(batches: Iterable[layouts.StateBatch]) -> Iterable[Span]:
    known = set(Delivery)
    for one in batches:
        if one.delivery_state not in known or one.last_offset < one.first_offset:
            raise DecodeError("state_batches", 0, "a state that there is, of offsets in order")
        state = Delivery(one.delivery_state)
        yield Span(one.first_offset, one.last_offset, state, one.delivery_count)


def _over(old: Iterable[Span], new: tuple[Span, ...], start: int) -> tuple[Span, ...]:
    """Old spans where no new one is, and the new ones; nothing below `start`."""
    found = [one for one in new if one.last >= start]
    for span in old:
        at = max(span.first, start)
        for other in sorted(new, key=lambda one: one.first):
            if other.last < at or other.first > span.last:
                continue
            if other.first > at:
                found.append(Span(at, other.first - 1, span.state, span.count))
            at = other.last + 1
        if at <= span.last:
            found.append(Span(at, span.last, span.state, span.count))
    return tuple(sorted(found, key=lambda one: one.first))
