"""Writes a controller's decisions to ZooKeeper, with its epoch checked; repeats conflicting ones.

All of it is done beside the loop: views go in, views and decisions come out.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from barnabas.broker.cluster.controller_election import Term
from barnabas.broker.cluster.controller_nodes import with_states
from barnabas.broker.znodes.broker_znodes import CONTROLLER_EPOCH
from barnabas.cluster.events import ControllerEvent
from barnabas.cluster.joint_decisions import step_all
from barnabas.cluster.view import Decision, View
from barnabas.cluster.znodes import partition_of
from barnabas.errors import BrokerError, ErrorCode, RegistryConflict, StorageError
from barnabas.ports import SharedRegistry
from barnabas.types import NodeWrite

_TRIES = 20
"""How often leaders may be quicker with their ISRs, one after the other."""
_WRITES_AT_ONCE = 128
_BYTES_AT_ONCE = 1 << 19
"""Of a transaction. ZooKeeper closes the connection on a request of a MiB: nodes of topics may be long."""


class AnotherController(BrokerError):
    """Another broker is the controller by now."""

    def __init__(self) -> None:
        super().__init__(ErrorCode.NOT_CONTROLLER, "another broker is the controller")


class WrittenDecisions(NamedTuple):
    """The view after some events, and the decision on each; its nodes are written."""

    view: View
    decisions: Sequence[Decision]


def carry_out(
    registry: SharedRegistry, term: Term, view: View, events: Iterable[ControllerEvent]
) -> WrittenDecisions:
    """Decide on events one after the other, and write.

    Raises:
        AnotherController: there is another one.
        BrokerError: NOT_CONTROLLER: others write what the controller does.
        StorageError: ZooKeeper does not answer; what was written is found out later.
    """
    asked = [*events]
    for _ in range(_TRIES):
        decisions = step_all(view, asked)
        after = decisions[-1].after if decisions else view
        writes = [write for one in decisions for write in one.writes]
        if write_all(registry, term, writes):
            return WrittenDecisions(after, decisions)
        view = _read_again(registry, term, view, writes)
    raise BrokerError(ErrorCode.NOT_CONTROLLER, "others write what the controller does")


def write_all(registry: SharedRegistry, term: Term, writes: Sequence[NodeWrite]) -> bool:
    """Whether all are written; False: none is, as one of the nodes has another version.

    The first transaction finds out whether this is still the controller. Those after it go in their order;
    states of partitions that follow each other, as in a failover, are sent together: ZooKeeper, which
    flushes its log before each answer, flushes once for many then.

    Raises:
        StorageError: it is not known.
    """
    guard = {CONTROLLER_EPOCH: term.node_version}
    first, *rest = [*_parts(writes)] or [[]]
    if not first:
        return True
    try:
        registry.commit(first, guard)
    except RegistryConflict:
        return False
    for replaces, parts in groupby(rest, _replaces):
        if replaces:
            if not all(registry.replace_each([*parts], guard)):
                raise StorageError("a part of a decision is written: nodes have other versions")
            continue
        try:
            for part in parts:
                registry.commit(part, guard)
        except RegistryConflict as error:
            raise StorageError(f"a part of a decision is written: {error}") from error
    return True


def _replaces(part: Iterable[NodeWrite]) -> bool:
    """Whether a transaction replaces data of certain versions, and does nothing else."""
    return all(one.data is not None and one.version >= 0 for one in part)


def _parts(writes: Iterable[NodeWrite]) -> Iterator[list[NodeWrite]]:
    """Writes as transactions that ZooKeeper takes; a node that is longer has one of its own."""
    part: list[NodeWrite] = []
    size = 0
    for one in writes:
        length = len(one.path) + len(one.data or b"")
        if part and (len(part) == _WRITES_AT_ONCE or size + length > _BYTES_AT_ONCE):
            yield part
            part, size = [], 0
        part.append(one)
        size += length
    if part:
        yield part


def _read_again(
    registry: SharedRegistry, term: Term, view: View, writes: Iterable[NodeWrite]
) -> View:
    """Find out who wrote: another controller, or leaders."""
    found = registry.get(CONTROLLER_EPOCH)
    if found is None or found[1] != term.node_version:
        raise AnotherController
    partitions = {place for one in writes if (place := partition_of(one.path)) is not None}
    return replace(view, image=with_states(registry, view.image, sorted(partitions)))
