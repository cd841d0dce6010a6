"""LeaderChoice: the next leader of a partition, and the ISR that it starts with.

Each takes the assigned replicas in their order, the ISR, and those of the replicas that are alive. None:
nobody can lead.

Source: Kafka's Election and PartitionLeaderElectionAlgorithms.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from barnabas.types import NodeId


class LeaderChoice(NamedTuple):
    """A leader, with the ISR that it begins with."""

    leader: NodeId
    isr: tuple[NodeId, ...]
    is_clean: bool = True
    """Whether the leader was in sync, so that nothing committed is lost."""


def new_partition(replicas: Sequence[NodeId], live: Collection[NodeId]) -> LeaderChoice | None:
    """The first leader of a partition that has no log yet: all that are alive are in sync."""
    isr = tuple(one for one in replicas if one in live)
    return LeaderChoice(isr[0], isr) if isr else None


def after_loss(
    replicas: Sequence[NodeId], isr: Sequence[NodeId], live: Collection[NodeId], *, unclean: bool
) -> LeaderChoice | None:
    """A leader for a partition whose leader is gone: in sync, or with `unclean` any that is alive."""
    in_sync = tuple(one for one in isr if one in live)
    for one in replicas:
        if one in in_sync:
            return LeaderChoice(one, in_sync)
    if unclean:
        for one in replicas:
            if one in live:
                return LeaderChoice(one, (one,), is_clean=False)
    return None


def preferred(
    replicas: Sequence[NodeId], isr: Sequence[NodeId], live: Collection[NodeId]
) -> LeaderChoice | None:
    """The first of the replicas, if it is in sync."""
    return _first_in_sync(replicas[:1], isr, live)


def reassigned(
    target: Sequence[NodeId], isr: Sequence[NodeId], live: Collection[NodeId]
) -> LeaderChoice | None:
    """One of the replicas that a reassignment leaves."""
    return _first_in_sync(target, isr, live)


def before_shutdown(
    replicas: Sequence[NodeId],
    isr: Sequence[NodeId],
    live: Collection[NodeId],
    shutting_down: Collection[NodeId],
) -> LeaderChoice | None:
    """A leader that stays, for a partition whose leader is about to go."""
    staying = tuple(one for one in isr if one not in shutting_down)
    return _first_in_sync(replicas, staying, live)


def _first_in_sync(
    replicas: Sequence[NodeId], isr: Sequence[NodeId], live: Collection[NodeId]
) -> LeaderChoice | None:
    for one in replicas:
        if one in live and one in isr:
            return LeaderChoice(one, tuple(isr))
    return None
