"""Mistakes of replicas, each put into the real ones: the simulation of clusters must find every one."""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

import pytest

from barnabas.broker.apis import produce
from barnabas.replication import leader as leading
from barnabas.replication.follower import Follower, FollowerEffects, Phase
from barnabas.replication.leader import Leader
from barnabas.replication.requests import AskEpochEnd, FetchNext, FollowerRequest
from barnabas.types import NodeId

Patch = pytest.MonkeyPatch


def _compare_nothing(patch: Patch) -> None:
    """Have followers ask for records only, without the epoch of their last one."""
    real = Follower._request

    def request(follower: Follower) -> FollowerRequest | None:
        asked = real(follower)
        if isinstance(asked, FetchNext | AskEpochEnd):
            end, start = follower.end_offset, follower.log_start
            return FetchNext(follower.leader_epoch, end, start, last_epoch=-1)
        return asked

    patch.setattr(Follower, "_request", request)


def never_truncate(patch: Patch) -> None:
    """Follow another leader without a look at where the logs part."""
    _compare_nothing(patch)


def truncate_to_watermark(patch: Patch) -> None:
    """Cut at the high watermark, as before KIP-101: what is committed may be above a follower's."""
    _compare_nothing(patch)

    def begin(follower: Follower) -> FollowerEffects:
        follower.phase = Phase.FETCHING
        return follower._truncate(follower.high_watermark)

    patch.setattr(Follower, "begin", begin)


def count_proposed_isr(patch: Patch) -> None:
    """Have acks=all wait for the ISR that was proposed, before anybody has confirmed it."""

    def isr(one: Leader) -> frozenset[NodeId]:
        proposal = one._proposal
        if proposal is None:
            return one.isr
        return one.isr & {node_id for node_id, _ in proposal.isr}

    patch.setattr(Leader, "maximal_isr", property(isr))


def commit_early(patch: Patch) -> None:
    """Let the high watermark be the leader's end."""

    def committed(current: int, leader_end: int, follower_ends: Iterable[int]) -> int:
        del follower_ends
        return max(current, leader_end)

    patch.setattr(leading, "committed", committed)


def acknowledge_early(patch: Patch) -> None:
    """Answer acks=all as acks=1."""
    patch.setattr(produce, "wait_for_acks", lambda *given: given[-1])


CLUSTER_MISTAKES: Mapping[str, Callable[[Patch], None]] = MappingProxyType(
    {
        one.__name__: one
        for one in (
            never_truncate,
            truncate_to_watermark,
            count_proposed_isr,
            commit_early,
            acknowledge_early,
        )
    }
)
