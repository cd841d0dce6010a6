"""A controller's decisions as ZooKeeper gets them: with its epoch checked, made anew where others wrote.

All of it is done beside the loop: views go in, views and decisions come out.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from barnabas.broker.cluster.controller_election import Term
from barnabas.broker.cluster.controller_nodes import with_states
from barnabas.broker.znodes.broker_znodes import CONTROLLER_EPOCH
from barnabas.cluster.controller import step
from barnabas.cluster.events import ControllerEvent
from barnabas.cluster.view import Decision, View
from barnabas.cluster.znodes import partition_of
from barnabas.errors import BrokerError, ErrorCode, RegistryConflict, StorageError
from barnabas.ports import SharedRegistry
from barnabas.types import NodeWrite

_TRIES = 20
"""How often leaders may be quicker with their ISRs, one after the other."""
_WRITES_AT_ONCE = 128
"""Nodes of a transaction: far below what ZooKeeper takes as one request (1 MiB)."""


class AnotherController(BrokerError):
    """Another broker is the controller by now."""

    def __init__(self) -> None:
        super().__init__(ErrorCode.NOT_CONTROLLER, "another broker is the controller")


class Carried(NamedTuple):
    """The view after some events, and the decision on each; its nodes are written."""

    view: View
    decisions: Sequence[Decision]


def carry_out(
    registry: SharedRegistry, term: Term, view: View, events: Iterable[ControllerEvent]
) -> Carried:
    """Decide on events one after the other, and write.

    Raises:
        AnotherController: there is another one.
        BrokerError: NOT_CONTROLLER: others write what the controller does.
        StorageError: ZooKeeper does not answer; what was written is found out later.
    """
    asked = [*events]
    for _ in range(_TRIES):
        after, decisions = view, list[Decision]()
        for event in asked:
            decisions.append(step(after, event))
            after = decisions[-1].after
        writes = [write for one in decisions for write in one.writes]
        if write_all(registry, term, writes):
            return Carried(after, decisions)
        view = _read_again(registry, term, view, writes)
    raise BrokerError(ErrorCode.NOT_CONTROLLER, "others write what the controller does")


def write_all(registry: SharedRegistry, term: Term, writes: Sequence[NodeWrite]) -> bool:
    """Whether all are written; False: none is, as one of the nodes has another version.

    Raises:
        StorageError: it is not known.
    """
    guard = {CONTROLLER_EPOCH: term.node_version}
    for first in range(0, len(writes), _WRITES_AT_ONCE):
        try:
            registry.commit(writes[first : first + _WRITES_AT_ONCE], guard)
        except RegistryConflict as error:
            if first:
                raise StorageError(f"a part of a decision is written: {error}") from error
            return False
    return True


def _read_again(
    registry: SharedRegistry, term: Term, view: View, writes: Iterable[NodeWrite]
) -> View:
    """Find out who wrote: another controller, or leaders."""
    found = registry.get(CONTROLLER_EPOCH)
    if found is None or found[1] != term.node_version:
        raise AnotherController
    partitions = {place for one in writes if (place := partition_of(one.path)) is not None}
    return replace(view, image=with_states(registry, view.image, sorted(partitions)))
