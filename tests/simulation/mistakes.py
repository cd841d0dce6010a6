"""Mistakes of a broker, each put into the real one: the simulation must find every one of them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

import pytest

from barnabas.broker.replicas import reading
from barnabas.broker.replicas.own_batch import OwnBatch
from barnabas.coordinators import groups_shard as shard
from barnabas.coordinators.classic_group import rebalancing
from barnabas.coordinators.classic_group.group import ClassicGroup
from barnabas.coordinators.classic_group.member import Member
from barnabas.coordinators.common.shard import CoordinatorRecord
from barnabas.coordinators.consumer_group import committing
from barnabas.coordinators.consumer_group.group import ConsumerGroup
from barnabas.coordinators.consumer_group.member import ConsumerMember
from barnabas.coordinators.offsets.commit import Commit
from barnabas.coordinators.offsets.offsets import OffsetsShard
from barnabas.errors import ErrorCode
from barnabas.log.partition import producer_recovery
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.partition.stored_log import WrittenEndUpdater
from barnabas.log.producers.producer_state import ProducerState
from barnabas.log.recovery import opening
from barnabas.log.segments.segment import Segment
from tests.simulation.compaction_mistakes import COMPACTION_MISTAKES
from tests.simulation.share_mistakes import SHARE_MISTAKES
from tests.simulation.streams_mistakes import STREAMS_MISTAKES

Patch = pytest.MonkeyPatch


def acknowledge_commits_first(patch: Patch) -> None:
    """Say that an offset is kept before it is written."""
    real = OwnBatch.add

    def add(
        batch: OwnBatch,
        records: Iterable[CoordinatorRecord],
        on_written: Callable[[ErrorCode], None],
    ) -> None:
        real(batch, records, lambda _code: None)
        on_written(ErrorCode.NONE)

    patch.setattr(OwnBatch, "add", add)


def acknowledge_unflushed(patch: Patch) -> None:
    """Forget that with flush.messages=1 records count when they are on stable storage."""
    patch.setattr(WrittenEndUpdater, "_too_much_unsynced", lambda _self: False)


def take_commits_of_zombies(patch: Patch) -> None:
    """Let anybody commit."""
    patch.setattr(shard, "commit_refusal", lambda *_args, **_known: None)


def keep_a_member_in_two_generations(patch: Patch) -> None:
    """Keep members that did not rejoin, and accept their requests for the generation that they know."""

    def refusal(group: ClassicGroup | None, asked: Commit, **_known: object) -> ErrorCode | None:
        return None if group is None else group.refusal(asked.who)

    def keep(group: object, effects: object, member: Member, why: ErrorCode) -> None:
        assert member.joining is None

    patch.setattr(rebalancing, "remove", keep)
    patch.setattr(shard, "commit_refusal", refusal)


def hand_out_twice(patch: Patch) -> None:
    """Give each member what another one is to do, too."""
    real = ClassicGroup.sync_reply

    def sync_reply(group: ClassicGroup, member: Member) -> object:
        reply = real(group, member)
        first: Sequence[Member] = list(group.members.values())
        return real(group, first[0]) if first else reply

    patch.setattr(ClassicGroup, "sync_reply", sync_reply)


def store_repetitions(patch: Patch) -> None:
    """Store a batch again that came again."""
    patch.setattr(ProducerState, "check", lambda _self, _batch: None)


def recall_one_batch(patch: Patch) -> None:
    """Know only the last batch of each producer after a start, as Kafka does."""
    real = producer_recovery.restore_producers

    def restore_producers(log: PartitionLog, rebuilt: int | None = None) -> None:
        real(log, rebuilt)
        for entry in log.producers.entries():
            while len(entry.batches) > 1:
                entry.batches.pop(0)

    patch.setattr(opening, "restore_producers", restore_producers)


def forget_by_timestamps(patch: Patch) -> None:
    """Forget producers whose records are old, however lately they came."""

    def expire(state: ProducerState, now_ms: int, expiration_ms: int) -> None:
        late = [one for one in state.entries() if one.transaction_start < 0]
        state.restore(
            one
            for one in state.entries()
            if one not in late or now_ms - one.last_timestamp < expiration_ms
        )

    patch.setattr(ProducerState, "expire", expire)


def forget_what_was_aborted(patch: Patch) -> None:
    """Tell readers of no aborted transaction."""
    patch.setattr(Segment, "note_aborted", lambda _self, _aborted: None)


def show_open_transactions(patch: Patch) -> None:
    """Let readers of what is committed see all that is written."""
    patch.setattr(reading, "stable_end", lambda log: log.written_end)


def take_commits_of_consumer_zombies(patch: Patch) -> None:
    """Let anybody commit in a consumer group."""
    patch.setattr(committing, "refused_positions", lambda *_args: {})


def hand_over_too_soon(patch: Patch) -> None:
    """Forget which member still has a partition of a consumer group that it must release."""
    real = ConsumerGroup.put

    def put(group: ConsumerGroup, member: ConsumerMember) -> None:
        real(group, member)
        group.owners.clear()

    patch.setattr(ConsumerGroup, "put", put)


def remove_nothing(patch: Patch) -> None:
    """Say that positions are removed, and do not write it."""
    patch.setattr(OffsetsShard, "forget", lambda *_asked: [])


MISTAKES: Mapping[str, Callable[[Patch], None]] = MappingProxyType(
    {
        one.__name__: one
        for one in (
            acknowledge_commits_first,
            acknowledge_unflushed,
            take_commits_of_zombies,
            keep_a_member_in_two_generations,
            hand_out_twice,
            store_repetitions,
            recall_one_batch,
            forget_by_timestamps,
            forget_what_was_aborted,
            show_open_transactions,
            take_commits_of_consumer_zombies,
            hand_over_too_soon,
            remove_nothing,
            *SHARE_MISTAKES,
            *STREAMS_MISTAKES,
            *COMPACTION_MISTAKES,
        )
    }
)
