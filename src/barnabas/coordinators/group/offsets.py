"""The offsets that groups committed: one shard per partition of __consumer_offsets.

Knows only groups without members: those of consumers that assign partitions to themselves. Who
claims to be a member is refused, for there are none.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from barnabas.coordinators.group.offset_records import (
    NO_EXPIRY,
    CommittedOffset,
    Position,
    decode_key,
    decode_value,
    encode_commit,
    encode_removal,
)
from barnabas.coordinators.shard import CoordinatorRecord, CoordinatorResult
from barnabas.errors import ErrorCode
from barnabas.types import Buffer

_NO_GENERATION = -1


@dataclass(frozen=True, slots=True)
class Commit:
    """A group's wish to keep positions. `generation` -1: from outside of a membership."""

    group_id: str
    generation: int
    offsets: Mapping[Position, CommittedOffset]
    unknown_group_error: ErrorCode
    """What a member of a group that is not there is told; depends on the request's version."""


class OffsetsShard:
    """Committed offsets by group and partition. Changes through `replay` only."""

    def __init__(self, metadata_max_bytes: int) -> None:
        self._metadata_max_bytes = metadata_max_bytes
        self._groups: dict[str, dict[Position, CommittedOffset]] = {}

    def commit(self, request: Commit) -> CoordinatorResult[Mapping[Position, ErrorCode]]:
        """Keep positions; the reply says for each what became of it."""
        refused = self._refusal(request)
        if refused is not None:
            return CoordinatorResult(dict.fromkeys(request.offsets, refused))
        reply: dict[Position, ErrorCode] = {}
        records: list[CoordinatorRecord] = []
        for position, committed in request.offsets.items():
            if len(committed.metadata) > self._metadata_max_bytes:
                reply[position] = ErrorCode.OFFSET_METADATA_TOO_LARGE
                continue
            reply[position] = ErrorCode.NONE
            records.append(encode_commit(request.group_id, position, committed))
        return CoordinatorResult(reply, tuple(records))

    def _refusal(self, request: Commit) -> ErrorCode | None:
        """Source: Kafka 4's OffsetMetadataManager.validateOffsetCommit, ClassicGroup likewise."""
        if request.generation <= _NO_GENERATION:
            return None
        if request.group_id in self._groups:
            return ErrorCode.UNKNOWN_MEMBER_ID
        return request.unknown_group_error

    def fetch(
        self, group_id: str, positions: Iterable[Position]
    ) -> Sequence[CommittedOffset | None]:
        """What a group committed for each of these partitions, in their order."""
        known = self._groups.get(group_id, {})
        return [known.get(position) for position in positions]

    def positions(self, group_id: str) -> Sequence[Position]:
        """All partitions that a group has an offset for, sorted."""
        return sorted(self._groups.get(group_id, ()))

    def groups(self) -> Sequence[str]:
        """The groups with an offset, sorted."""
        return sorted(self._groups)

    def forget_topic(self, topic: str) -> CoordinatorResult[None]:
        """Remove all offsets of a topic: it was deleted."""
        gone = [place for place in self._all() if place[1].topic == topic]
        return CoordinatorResult(None, tuple(encode_removal(*place) for place in gone))

    def expire(self, now_ms: int, retention_ms: int) -> CoordinatorResult[None]:
        """Remove offsets not renewed for so long, or whose own expiry has come (KIP-211)."""
        old = [
            (group_id, position)
            for group_id, position in self._all()
            if _has_expired(self._groups[group_id][position], now_ms, retention_ms)
        ]
        return CoordinatorResult(None, tuple(encode_removal(*place) for place in old))

    def _all(self) -> Iterator[tuple[str, Position]]:
        for group_id, offsets in self._groups.items():
            for position in offsets:
                yield group_id, position

    def replay(self, key: Buffer | None, value: Buffer | None) -> None:
        """Take in one record; see `CoordinatorShard`."""
        decoded = None if key is None else decode_key(key)
        if decoded is None:
            return
        group_id, position = decoded
        if value is not None:
            self._groups.setdefault(group_id, {})[position] = decode_value(value)
            return
        offsets = self._groups.get(group_id, {})
        offsets.pop(position, None)
        if not offsets:
            self._groups.pop(group_id, None)


def _has_expired(committed: CommittedOffset, now_ms: int, retention_ms: int) -> bool:
    if committed.expire_timestamp != NO_EXPIRY:
        return now_ms >= committed.expire_timestamp
    return now_ms - committed.commit_timestamp >= retention_ms
