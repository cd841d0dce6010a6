"""Mistakes of replicas, each put into the real ones: the simulation of clusters must find every one."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import pytest

from barnabas.broker.apis import produce
from barnabas.broker.cluster import controller_writes
from barnabas.broker.cluster.controller_election import Term
from barnabas.broker.replicas import partition
from barnabas.broker.replicas.follower_role import FollowerRole
from barnabas.broker.replicas.uncommitted import Unanswered, UncommittedAppend, WriteCallbacks
from barnabas.broker.transactions.routed_markers import RoutedMarkers, _Marker
from barnabas.cluster import controller, deltas, elections, reassignment
from barnabas.cluster.draft import Draft
from barnabas.cluster.leader_choice import LeaderChoice, after_loss
from barnabas.errors import ErrorCode
from barnabas.log.partition.stored_log import WrittenEndUpdater
from barnabas.ports import SharedRegistry
from barnabas.replication import leader as leading
from barnabas.replication.follower import Follower, FollowerEffects, Phase
from barnabas.replication.leader import Leader
from barnabas.replication.requests import AskEpochEnd, FetchNext, FollowerRequest
from barnabas.types import ANY_VERSION, MUST_BE_NEW, NodeId, NodeWrite, TopicPartition

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
        proposal = one._proposals.pending
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


def count_unflushed(patch: Patch) -> None:
    """Count records before they are on stable storage, at leaders and followers."""

    def wrote(end: WrittenEndUpdater) -> None:
        end._log.count_to(end._log.file_end)

    patch.setattr(WrittenEndUpdater, "wrote", wrote)
    patch.setattr(FollowerRole, "awaits_flush", lambda _following: False)


def end_moves_early(patch: Patch) -> None:
    """Let new replicas take over a partition that moves as soon as one of them is in sync."""

    def finish(draft: Draft, partition: TopicPartition) -> None:
        state = draft.state(partition)
        if state is None or not reassignment.is_under_way(state):
            return
        wanted = reassignment.target(state)
        isr = tuple(one for one in wanted if one in state.isr)
        if isr:
            moved = replace(state, leader=isr[0], replicas=wanted, adding=(), removing=())
            draft.change(partition, replace(moved, isr=wanted))
            reassignment._delete(draft, partition, state.removing)

    patch.setattr(reassignment, "finish", finish)
    patch.setattr(controller, "finish", finish)


def elect_uncleanly(patch: Patch) -> None:
    """Let any replica that is alive lead where none in sync is."""

    def choose(
        replicas: Sequence[NodeId],
        isr: Sequence[NodeId],
        live: Collection[NodeId],
        *,
        unclean: bool,
    ) -> LeaderChoice | None:
        return after_loss(replicas, isr, live, unclean=unclean or bool(live))

    patch.setattr(elections, "after_loss", choose)


def obey_old_controllers(patch: Patch) -> None:
    """Write and obey without a look at the controller's epoch."""
    patch.setattr(deltas, "check_controller", lambda *_given: ErrorCode.NONE)
    real = controller_writes.write_all

    def write(registry: SharedRegistry, term: Term, writes: Sequence[NodeWrite]) -> bool:
        return real(registry, term, [replace_version(each) for each in writes])

    def replace_version(write: NodeWrite) -> NodeWrite:
        there = write.data is not None and write.version != MUST_BE_NEW
        return write._replace(version=ANY_VERSION) if there else write

    patch.setattr(controller_writes, "write_all", write)


def acknowledge_commits_early(patch: Patch) -> None:
    """Respond to OffsetCommit when the offsets are written, before followers have them."""

    def wait(
        end: int, unanswered: Unanswered, write_callbacks: WriteCallbacks
    ) -> UncommittedAppend:
        for on_written in write_callbacks:
            on_written(ErrorCode.NONE)
        return UncommittedAppend(end, unanswered, [])

    patch.setattr(partition, "UncommittedAppend", wait)


def give_markers_up(patch: Patch) -> None:
    """Count the marker of a transaction as written where its leader could not write it just then."""

    def answer(_markers: RoutedMarkers, marker: _Marker, code: ErrorCode) -> None:
        del code
        marker.on_written(ErrorCode.NONE)

    patch.setattr(RoutedMarkers, "_answer", answer)


CLUSTER_MISTAKES: Mapping[str, Callable[[Patch], None]] = MappingProxyType(
    {
        one.__name__: one
        for one in (
            never_truncate,
            truncate_to_watermark,
            count_proposed_isr,
            commit_early,
            acknowledge_early,
            count_unflushed,
            end_moves_early,
            elect_uncleanly,
            obey_old_controllers,
            acknowledge_commits_early,
            give_markers_up,
        )
    }
)
