"""GroupOffsets: the offsets that groups commit: stored, returned, expired, and removed with their topic."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from barnabas.broker.groups.group_shards import GroupShards
from barnabas.broker.purgatory.pending import Pending, Unwritten
from barnabas.broker.shards.record_names import check_kept
from barnabas.config.broker import BrokerConfig
from barnabas.coordinators.common.shard import Replayed
from barnabas.coordinators.offsets.commit import Commit
from barnabas.coordinators.offsets.offset_records import OffsetAndMetadata
from barnabas.errors import BrokerError, ErrorCode
from barnabas.types import TopicPartition

Codes = Mapping[TopicPartition, ErrorCode]

_A_STEP = 256
"""Groups that are looked at between two times that others are served."""


class GroupOffsets:
    """The offsets of all groups of this broker. For one thread."""

    def __init__(self, shards: GroupShards, config: BrokerConfig) -> None:
        self._shards = shards
        self._config = config

    def commit(
        self,
        request: Commit,
        respond: Callable[[Codes], object],
        producer: tuple[int, int] | None = None,
    ) -> object:
        """Keep positions of a group; gives `respond`'s answer, when they are written.

        With a producer (id, epoch) they count when that commits its transaction.

        Raises:
            BrokerError: COORDINATOR_NOT_AVAILABLE, or the name of the group is too long to be kept, or
                to be kept so many times as one batch.
        """
        check_kept(request.group_id)
        held = self._shards.of(request.group_id)
        self._shards.check_fits(held, request.group_id, len(request.offsets))
        reply, records = held.shard.commit(request, self._shards.now_ms())
        if not records:
            return respond(reply)
        partition = held.partition
        at_once = producer is None and partition.commits_when_written
        pending = Unwritten() if at_once else Pending()

        def written(code: ErrorCode) -> None:
            codes = reply
            if code:
                held.shard.offsets.not_kept(records)
                codes = {position: own or code for position, own in reply.items()}
            pending.complete(respond(codes))

        if producer is None:
            self._shards.append(held, records, written)
        else:
            self._shards.append_in_transaction(held, records, producer, written)
        return pending

    def is_pending(self, group_id: str, position: TopicPartition) -> bool:
        """Whether an open transaction has an offset for a partition.

        Raises:
            BrokerError: COORDINATOR_NOT_AVAILABLE.
        """
        held = self._shards.find(group_id)
        return held is not None and held.shard.offsets.is_pending(group_id, position)

    def positions(self, group_id: str) -> Sequence[TopicPartition]:
        """All partitions that a group has an offset for.

        Raises:
            BrokerError: COORDINATOR_NOT_AVAILABLE.
        """
        held = self._shards.find(group_id)
        return held.shard.offsets.positions(group_id) if held else []

    def refusal(self, group_id: str, member_id: str | None, epoch: int) -> ErrorCode:
        """The code for a sender that names a member and must not fetch the group's offsets.

        Raises:
            BrokerError: COORDINATOR_NOT_AVAILABLE.
        """
        held = self._shards.find(group_id)
        if held is None:
            return ErrorCode.NONE
        return held.shard.fetch_refusal(group_id, member_id, epoch)

    def fetch(
        self, group_id: str, positions: Sequence[TopicPartition]
    ) -> Sequence[OffsetAndMetadata | None]:
        """What a group committed for these partitions.

        Raises:
            BrokerError: COORDINATOR_NOT_AVAILABLE.
        """
        held = self._shards.find(group_id)
        if held is None:
            return [None] * len(positions)
        return held.shard.offsets.fetch(group_id, positions)

    def expire(self) -> Iterator[None]:
        """Remove what is older than `offsets.retention.minutes`, groups too; from time to time, in steps."""
        retention_ms = self._config.offsets_retention_minutes * 60_000
        for held in self._shards.loaded():
            for some in _some_by_some(held.shard.may_expire()):
                # New commits of this turn are not known before they are written.
                self._shards.write()
                if not self._shards.is_loaded(held):
                    break
                records = held.shard.expire(some, self._shards.now_ms(), retention_ms)
                for part in self._shards.parts(held, records):
                    self._shards.append_or_restore(held, Replayed(None, tuple(part)))
                    self._shards.write()
                yield

    def forget_topics(self, topics: Collection[str]) -> Iterator[None]:
        """Remove all offsets of topics that are deleted, also those that this turn commits; in steps.

        Nothing may be committed for a topic of such a name meanwhile.
        """
        self._shards.write()
        for index in self._shards.indexes():
            try:
                held = yield from self._shards.at_in_steps(index)
            except BrokerError:
                continue
            for some in _some_by_some(held.shard.offsets.groups()):
                if not self._shards.is_loaded(held):
                    break
                records = held.shard.offsets.forget_topics(some, topics)
                for part in self._shards.parts(held, records):
                    self._shards.append(held, part, lambda _code: None)
                    self._shards.write()
                yield


def _some_by_some(group_ids: Sequence[str]) -> Iterator[Sequence[str]]:
    return (group_ids[at : at + _A_STEP] for at in range(0, len(group_ids), _A_STEP))
