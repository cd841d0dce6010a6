"""GroupShard: the groups and offsets of one partition of __consumer_offsets."""

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence

from barnabas.coordinators.classic_group.group import ClassicGroup
from barnabas.coordinators.classic_group.group_records import (
    encode_end,
)
from barnabas.coordinators.classic_group.group_states import GroupState
from barnabas.coordinators.classic_group.protocols import CONSUMER
from barnabas.coordinators.common.shard import CoordinatorRecord, CoordinatorResult, Replayed
from barnabas.coordinators.common.undo import restore_entries
from barnabas.coordinators.consumer_group import committing
from barnabas.coordinators.consumer_group.group import ConsumerGroup
from barnabas.coordinators.known_groups import KnownGroups, Modern
from barnabas.coordinators.offsets.commit import Commit, commit_refusal
from barnabas.coordinators.share_group.group import ShareGroup
from barnabas.coordinators.streams_group import committing as streams_committing
from barnabas.coordinators.streams_group.group import StreamsGroup
from barnabas.errors import ErrorCode
from barnabas.types import Buffer, TopicPartition


class GroupShard(KnownGroups):
    """What becomes of them: offsets are committed and expire, groups are deleted."""

    def commit(
        self, request: Commit, now: int
    ) -> CoordinatorResult[dict[TopicPartition, ErrorCode]]:
        """Save offsets; the response has the result of each. It also counts as the member's heartbeat."""
        modern = self._modern(request.group_id)
        if modern is not None:
            return self._commit_to(modern, request)
        refused = self._refusal(request, now)
        if refused is not None:
            return CoordinatorResult(dict.fromkeys(request.offsets, refused))
        return self.offsets.commit(request.group_id, request.offsets)

    def _refusal(self, request: Commit, now: int) -> ErrorCode | None:
        group = self._groups.get(request.group_id)
        refused = commit_refusal(group, request, has_offsets=self.offsets.has)
        if refused is None and group is not None and request.who.member_id in group.members:
            group.renew_session(group.members[request.who.member_id], now)
        return refused

    def _commit_to(
        self, modern: Modern, request: Commit
    ) -> CoordinatorResult[dict[TopicPartition, ErrorCode]]:
        match modern:
            case ConsumerGroup() as consumers:
                return self._commit_but(request, committing.refused_positions(consumers, request))
            case StreamsGroup() as streams:
                return self._commit_but(
                    request, streams_committing.refused_positions(streams, request)
                )
            case ShareGroup():
                return CoordinatorResult(
                    dict.fromkeys(request.offsets, ErrorCode.GROUP_ID_NOT_FOUND)
                )

    def _commit_but(
        self, request: Commit, refused: Mapping[TopicPartition, ErrorCode]
    ) -> CoordinatorResult[dict[TopicPartition, ErrorCode]]:
        kept = {where: what for where, what in request.offsets.items() if where not in refused}
        result = self.offsets.commit(request.group_id, kept)
        return CoordinatorResult({**result.reply, **refused}, result.records)

    def fetch_refusal(self, group_id: str, member_id: str | None, epoch: int) -> ErrorCode:
        """Why a sender that names a member must not fetch the group's offsets."""
        match self._modern(group_id):
            case ConsumerGroup() as consumers:
                return committing.fetch_refusal(consumers, member_id, epoch)
            case StreamsGroup() as streams:
                return streams_committing.fetch_refusal(streams, member_id, epoch)
            case _:
                return ErrorCode.NONE

    def delete_group(self, group_id: str) -> Replayed[ErrorCode]:
        """Delete a group without members, with its offsets."""
        modern = self._modern(group_id)
        if modern is not None:
            return self._delete_modern(modern)
        group = self.view(group_id)
        if group is None:
            return Replayed(ErrorCode.GROUP_ID_NOT_FOUND)
        if group.state is not GroupState.EMPTY:
            return Replayed(ErrorCode.NON_EMPTY_GROUP)
        undo = restore_entries(group_id, self._groups)
        self.forget(group_id)
        records = self.offsets.forget_group(group_id)
        return Replayed(ErrorCode.NONE, (*records, encode_end(group_id)), undo)

    def _delete_modern(self, group: Modern) -> Replayed[ErrorCode]:
        if group.members:
            return Replayed(ErrorCode.NON_EMPTY_GROUP)
        offsets, ended = self.offsets.forget_group(group.group_id), self._end(group)
        return Replayed(ErrorCode.NONE, (*offsets, *ended.records), ended.undo)

    def _end(self, group: Modern) -> Replayed[None]:
        """The records that delete a group."""
        match group:
            case ConsumerGroup():
                return self.consumer.delete(group)
            case ShareGroup():
                return self.share.delete(group)
            case StreamsGroup():
                return self.streams.delete(group)

    def delete_offsets(
        self, group_id: str, positions: Sequence[TopicPartition]
    ) -> Generator[None, None, CoordinatorResult[ErrorCode | list[ErrorCode]]]:
        """Remove offsets (KIP-496), in steps: one code for each, or one for all."""
        modern = self.consumer.get(group_id) or self.streams.get(group_id)
        group = self.view(group_id)
        topics: set[str] = set()
        if modern is not None:
            topics = modern.subscribed()
        elif group is None:
            return CoordinatorResult(ErrorCode.GROUP_ID_NOT_FOUND)
        elif group.state is not GroupState.EMPTY:
            if group.protocol_type != CONSUMER:
                return CoordinatorResult(ErrorCode.NON_EMPTY_GROUP)
            generation = group.generation, group.state
            topics = yield from group.read_of({one.topic for one in positions})
            if self.view(group_id) is not group or (group.generation, group.state) != generation:
                # Others read other topics now.
                return (yield from self.delete_offsets(group_id, positions))
        in_use = [one.topic in topics for one in positions]
        codes = [ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC if one else ErrorCode.NONE for one in in_use]
        free = [one for one, used in zip(positions, in_use, strict=True) if not used]
        return CoordinatorResult(codes, tuple(self.offsets.forget(group_id, free)))

    def may_expire(self) -> list[str]:
        """The groups that `expire` may find something of, sorted."""
        modern: list[ConsumerGroup | StreamsGroup] = [*self.consumer.all(), *self.streams.all()]
        names = (one.group_id for one in modern)
        return sorted({*names, *self.offsets.groups(), *self._groups})

    def expire(
        self, group_ids: Iterable[str], now_ms: int, retention_ms: int
    ) -> Iterator[CoordinatorRecord]:
        """Remove expired offsets, and groups that are then empty (KIP-211).

        Each record is made when it is asked for, and must be appended: together they may be large.
        """
        for group_id in group_ids:
            modern = self.consumer.get(group_id) or self.streams.get(group_id)
            if modern is not None:
                yield from self._expire_modern(modern, now_ms, retention_ms)
            else:
                yield from self._expire_classic(group_id, now_ms, retention_ms)

    def _expire_classic(
        self, group_id: str, now_ms: int, retention_ms: int
    ) -> Iterator[CoordinatorRecord]:
        group = self._groups.get(group_id)
        old = self.offsets.expired(group_id, now_ms, retention_ms, _since(group))
        if group is not None and group.state is not GroupState.EMPTY:
            old = _unread(group, old)
        elif group is not None and len(old) == self.offsets.count(group_id):
            self.forget(group_id)
            yield encode_end(group_id)
        yield from self.offsets.forget(group_id, old)

    def _expire_modern(
        self, group: ConsumerGroup | StreamsGroup, now_ms: int, retention_ms: int
    ) -> Iterator[CoordinatorRecord]:
        """The same for a group whose offsets age from their commit."""
        topics, group_id = group.subscribed(), group.group_id
        old = self.offsets.expired(group_id, now_ms, retention_ms, None)
        old = [one for one in old if one.topic not in topics]
        has_ended = not group.members and len(old) == self.offsets.count(group_id)
        yield from self.offsets.forget(group_id, old)
        if has_ended:
            yield from self._end(group).records

    def replay_in_transaction(
        self, producer_id: int, key: Buffer | None, value: Buffer | None
    ) -> None:
        """Apply an offset of a transaction; see `TransactionalShard`."""
        self.offsets.replay_in_transaction(producer_id, key, value)

    def end_transaction(self, producer_id: int, *, committed: bool) -> None:
        """Commit a producer's pending offsets, or drop them."""
        self.offsets.end_transaction(producer_id, committed=committed)


def _unread(group: ClassicGroup, old: list[TopicPartition]) -> list[TopicPartition]:
    """Of expired offsets of a group with members, those that these do not read."""
    if not old or group.state is not GroupState.STABLE:
        return []
    steps = group.read_of({one.topic for one in old})
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return [one for one in old if one.topic not in end.value]


def _since(group: ClassicGroup | None) -> int | None:
    """When a group's offsets begin to age, if not at their commit."""
    if group is None or group.protocol_type is None or group.state is not GroupState.EMPTY:
        return None
    return group.since_ms if group.since_ms >= 0 else None
