"""The committed offsets of groups: one shard per partition of __consumer_offsets.

It does not know the members: its caller checks whether a commit is allowed.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from barnabas.coordinators.common.record_rows import RecordRows
from barnabas.coordinators.common.shard import CoordinatorRecord, CoordinatorResult
from barnabas.coordinators.offsets.offset_records import (
    NO_EXPIRY,
    OffsetAndMetadata,
    decode_key,
    decode_value,
    encode_commit,
    encode_removal,
)
from barnabas.coordinators.offsets.pending_offsets import PendingOffsets
from barnabas.errors import ErrorCode
from barnabas.kernels.wire import committed_offsets
from barnabas.types import Buffer, TopicPartition, new_tuple

_NONE = ErrorCode.NONE


def is_too_long(metadata: str, most: int) -> bool:
    """Whether the metadata of a commit is too long. Counted in UTF-16 units, like Java."""
    if 2 * len(metadata) <= most:
        return False
    return len(metadata.encode("utf-16-le")) > 2 * most


class OffsetsShard:
    """Committed offsets by group and partition. Changes through `replay` only."""

    def __init__(self, metadata_max_bytes: int) -> None:
        self._metadata_max_bytes = metadata_max_bytes
        self._groups: dict[str, dict[TopicPartition, OffsetAndMetadata]] = {}
        self._pending = PendingOffsets()
        self._decoded: dict[int, tuple[bytes | None, str, TopicPartition, OffsetAndMetadata]] = {}
        """By `id`, encoded values created here and not applied yet, with their decoded form."""

    def commit(
        self, group_id: str, offsets: Mapping[TopicPartition, OffsetAndMetadata]
    ) -> CoordinatorResult[dict[TopicPartition, ErrorCode]]:
        """Save positions; the response has the result of each."""
        reply = dict.fromkeys(offsets, _NONE)
        records: list[CoordinatorRecord] = []
        for position, committed in offsets.items():
            if committed.metadata and is_too_long(committed.metadata, self._metadata_max_bytes):
                reply[position] = ErrorCode.OFFSET_METADATA_TOO_LARGE
                continue
            record = encode_commit(group_id, position, committed)
            records.append(record)
            if committed.expire_timestamp == NO_EXPIRY:
                # Reading it again would give the same.
                value = record[1]
                self._decoded[id(value)] = value, group_id, position, committed
        return new_tuple(CoordinatorResult, (reply, tuple(records)))

    def not_kept(self, records: Iterable[CoordinatorRecord]) -> None:
        """Forget records of `commit` that could not be written and will not be replayed."""
        for _, value in records:
            self._decoded.pop(id(value), None)

    def fetch(
        self, group_id: str, positions: Iterable[TopicPartition]
    ) -> Sequence[OffsetAndMetadata | None]:
        """What a group committed for each of these partitions, in their order."""
        known = self._groups.get(group_id, {})
        return [known.get(position) for position in positions]

    def positions(self, group_id: str) -> Sequence[TopicPartition]:
        """All partitions for which a group has an offset, sorted; not those of open transactions."""
        return sorted(self._groups.get(group_id, ()))

    def has(self, group_id: str) -> bool:
        """Whether a group has any offset, including those of open transactions."""
        return group_id in self._groups or group_id in self._pending.groups()

    def count(self, group_id: str) -> int:
        """The number of partitions with an offset of a group, including those of open transactions."""
        return len(self._partitions(group_id))

    def groups(self) -> Sequence[str]:
        """The groups with any offset, including those of open transactions, sorted."""
        return sorted({*self._groups, *self._pending.groups()})

    def forget_topics(
        self, group_ids: Iterable[str], topics: Container[str]
    ) -> Iterator[CoordinatorRecord]:
        """Remove the offsets that groups have of topics: these were deleted.

        Each record is made when it is asked for.
        """
        for group_id in group_ids:
            gone = [one for one in self._partitions(group_id) if one.topic in topics]
            for one in gone:
                yield encode_removal(group_id, one)

    def forget(
        self, group_id: str, positions: Iterable[TopicPartition]
    ) -> Iterator[CoordinatorRecord]:
        """The records that remove the existing ones of these offsets, made as they are asked for."""
        known = self._partitions(group_id)
        return (encode_removal(group_id, one) for one in positions if one in known)

    def forget_group(self, group_id: str) -> Iterator[CoordinatorRecord]:
        """The records that remove all offsets of a group."""
        return self.forget(group_id, sorted(self._partitions(group_id)))

    def expired(
        self, group_id: str, now_ms: int, retention_ms: int, since_ms: int | None
    ) -> list[TopicPartition]:
        """Positions not renewed for so long, or with an expired timestamp of their own (KIP-211).

        They age from `since_ms` on, or each from its commit.
        """
        return [
            position
            for position, committed in self._groups.get(group_id, {}).items()
            if _has_expired(committed, now_ms, retention_ms, since_ms)
            and not self._pending.has(group_id, position)
        ]

    def is_pending(self, group_id: str, position: TopicPartition) -> bool:
        """Whether an open transaction has an offset for a partition."""
        return self._pending.has(group_id, position)

    def replay_in_transaction(
        self, producer_id: int, key: Buffer | None, value: Buffer | None
    ) -> None:
        """Apply one record that counts when its producer commits; see `TransactionalShard`."""
        self._decoded.pop(id(value), None)
        decoded = None if key is None else decode_key(key)
        if decoded is not None and value is not None:
            self._pending.add(producer_id, *decoded, decode_value(value))

    def end_transaction(self, producer_id: int, *, committed: bool) -> None:
        """Commit a producer's pending offsets, or drop them."""
        for group_id, position, offset in self._pending.end(producer_id, committed=committed):
            self._groups.setdefault(group_id, {})[position] = offset

    def _partitions(self, group_id: str) -> set[TopicPartition]:
        """Where there is something to remove: also what only an open transaction has."""
        return {*self._groups.get(group_id, ()), *self._pending.positions(group_id)}

    def replay_rows(self, names: dict[bytes, tuple[str, str]], rows: RecordRows, row: int) -> int:
        """Apply plain offset records from `row` on; return the first row that is none.

        The result is that of `replay` for each. `names` is empty before the first rows of a log,
        and the same object for the whole log.
        """
        if not self._pending.is_empty:
            return row
        keys, key_ends, _, values, value_ends, has_value = rows
        return committed_offsets.replay(
            keys, key_ends, values, value_ends, has_value,
            row, self._groups, names, TopicPartition, OffsetAndMetadata,
        )  # fmt: skip

    def replay(self, key: Buffer | None, value: Buffer | None) -> None:
        """Apply one record; see `CoordinatorShard`."""
        own = self._decoded.pop(id(value), None)
        if own is not None and self._pending.is_empty:
            _, group_id, position, committed = own
            self._groups.setdefault(group_id, {})[position] = committed
            return
        if (
            self._pending.is_empty
            and type(key) is bytes
            and (value is None or type(value) is bytes)
            and committed_offsets.replay_one(
                key, value, self._groups, TopicPartition, OffsetAndMetadata
            )
        ):
            return
        decoded = None if key is None else decode_key(key)
        if decoded is None:
            return
        group_id, position = decoded
        if value is not None:
            self._pending.outdate(group_id, position)
            self._groups.setdefault(group_id, {})[position] = decode_value(value)
            return
        # Otherwise a removed position would return when its producer commits.
        self._pending.forget(group_id, position)
        offsets = self._groups.get(group_id, {})
        offsets.pop(position, None)
        if not offsets:
            self._groups.pop(group_id, None)


def _has_expired(
    committed: OffsetAndMetadata, now_ms: int, retention_ms: int, since_ms: int | None
) -> bool:
    if committed.expire_timestamp != NO_EXPIRY:
        return now_ms >= committed.expire_timestamp
    begun = committed.commit_timestamp if since_ms is None else since_ms
    return now_ms - begun >= retention_ms
