"""Mistakes of a broker, each put into the real one: the simulation must find every one of them."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import pytest

from barnabas.broker import partition as broker_partition
from barnabas.broker.group_membership import GroupMembership
from barnabas.coordinators.group import leaving, rebalancing, shard, syncing
from barnabas.errors import ErrorCode
from barnabas.log import producer_state, scan, seen_end


def acknowledge_commits_first(patch: pytest.MonkeyPatch) -> None:
    """Say that an offset is kept before it is written."""
    real = broker_partition.Partition.append_own

    def append_own(self, batch, now_ms, on_written):  # type: ignore[no-untyped-def]
        on_written(ErrorCode.NONE)
        real(self, batch, now_ms, lambda _code: None)

    patch.setattr(broker_partition.Partition, "append_own", append_own)


def acknowledge_unflushed(patch: pytest.MonkeyPatch) -> None:
    """Forget that with flush.messages=1 records count when they are on stable storage."""
    patch.setattr(seen_end.SeenEnd, "_too_much_unsynced", lambda _self: False)


def take_commits_of_zombies(patch: pytest.MonkeyPatch) -> None:
    """Let members commit whatever generation they are of."""
    patch.setattr(shard, "commit_refusal", lambda *_args, **_kwargs: None)


def keep_a_member_in_two_generations(patch: pytest.MonkeyPatch) -> None:
    """Tell who asks for an older generation what there is to do in the present one."""
    patch.setattr(syncing, "_refusal", lambda group, asked: group.refusal(asked.who))


def forget_duplicates(patch: pytest.MonkeyPatch) -> None:
    """Store a batch again that was sent again."""
    patch.setattr(producer_state.ProducerState, "check", lambda *_args: None)


MISTAKES: Mapping[str, Callable[[pytest.MonkeyPatch], None]] = MappingProxyType(
    {
        one.__name__: one
        for one in (
            acknowledge_commits_first,
            acknowledge_unflushed,
            take_commits_of_zombies,
            keep_a_member_in_two_generations,
        )
    }
)
