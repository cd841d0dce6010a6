"""Mistakes of a broker with share groups, and with offsets in transactions; see `mistakes`."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import pytest

from barnabas.broker.groups.offsets import GroupOffsets
from barnabas.broker.shares.states import ShareStateShards
from barnabas.coordinators.offsets.offsets import OffsetsShard
from barnabas.coordinators.share_partition import partition
from barnabas.coordinators.share_partition.acquiring import AcquireLimits, Acquiring, LogBatch
from barnabas.coordinators.share_partition.partition import SharePartition
from barnabas.coordinators.share_partition.spans import DeliveryState, Span
from barnabas.errors import ErrorCode

Patch = pytest.MonkeyPatch


def keep_nothing_of_shares(patch: Patch) -> None:
    """Say that an acknowledgement is kept, and do not write it."""

    def keep(
        _self: ShareStateShards,
        _key: object,
        _record: object,
        on_written: Callable[[ErrorCode], None],
    ) -> None:
        on_written(ErrorCode.NONE)

    patch.setattr(ShareStateShards, "keep", keep)


def deliver_what_is_in_hand(patch: Patch) -> None:
    """Deliver a record to any member, even while another one has it."""
    real = SharePartition._reach

    def reach(state: SharePartition, batches: Iterable[LogBatch], limits: AcquireLimits) -> None:
        for span in state.spans:
            if span.state is DeliveryState.ACQUIRED and span.count < limits.deliveries:
                state.spans.put(replace(span, state=DeliveryState.AVAILABLE))
        real(state, batches, limits)

    patch.setattr(SharePartition, "_reach", reach)


def deliver_suspects_together(patch: Patch) -> None:
    """Deliver what comes back for the last time with what came with it before."""

    def take_again(acquiring: Acquiring, free: Sequence[Span], _size: int) -> None:
        acquiring._take(free)

    patch.setattr(Acquiring, "_take_again", take_again)


def deliver_too_often(patch: Patch) -> None:
    """Never give up a record."""

    def released(span: Span, _limits: AcquireLimits) -> Span:
        return replace(span, state=DeliveryState.AVAILABLE, member="", until_ms=0)

    patch.setattr(partition, "_released", released)


def give_up_at_once(patch: Patch) -> None:
    """Deliver nothing a second time."""

    def released(span: Span, _limits: AcquireLimits) -> Span:
        return replace(span, state=DeliveryState.ARCHIVED, member="", until_ms=0)

    patch.setattr(partition, "_released", released)


def count_offsets_at_once(patch: Patch) -> None:
    """Do not wait for a transaction to commit with the offsets that it sends."""

    def replay(shard: OffsetsShard, _producer: int, key: bytes | None, value: bytes | None) -> None:
        shard.replay(key, value)

    patch.setattr(OffsetsShard, "replay_in_transaction", replay)


def forget_offsets_of_transactions(patch: Patch) -> None:
    """Drop the offsets of a transaction that commits."""
    real = OffsetsShard.end_transaction

    def end(shard: OffsetsShard, producer_id: int, *, committed: bool) -> None:
        assert isinstance(committed, bool)
        real(shard, producer_id, committed=False)

    patch.setattr(OffsetsShard, "end_transaction", end)


def tell_offsets_too_soon(patch: Patch) -> None:
    """Do not wait for an open transaction that has sent offsets."""
    patch.setattr(GroupOffsets, "is_pending", lambda *_asked: False)


SHARE_MISTAKES = (
    keep_nothing_of_shares,
    deliver_what_is_in_hand,
    deliver_suspects_together,
    deliver_too_often,
    give_up_at_once,
    count_offsets_at_once,
    forget_offsets_of_transactions,
    tell_offsets_too_soon,
)
