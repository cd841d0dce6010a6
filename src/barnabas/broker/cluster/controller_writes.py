"""Writes a controller's decisions to ZooKeeper, with its epoch checked; repeats conflicting ones.

These functions run beside the loop. They take views, and return views and decisions.
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
"""How many conflicts in a row, such as ISRs written by leaders, are resolved by another try."""
_WRITES_AT_ONCE = 128
_BYTES_AT_ONCE = 1 << 19
"""Bytes in one transaction. ZooKeeper closes the connection on a request of 1 MiB; topic nodes may be long."""


class AnotherController(BrokerError):
    """Another broker has become the controller."""

    def __init__(self) -> None:
        super().__init__(ErrorCode.NOT_CONTROLLER, "another broker is the controller")


class WrittenDecisions(NamedTuple):
    """The view after some events, and the decision on each, with all nodes written."""

    view: View
    decisions: Sequence[Decision]


def carry_out(
    registry: SharedRegistry, term: Term, view: View, events: Iterable[ControllerEvent]
) -> WrittenDecisions:
    """Decide on events one after the other, and write the decisions.

    Raises:
        AnotherController: another broker is the controller.
        BrokerError: NOT_CONTROLLER: others kept writing the same nodes.
        StorageError: ZooKeeper does not answer; it is unknown what was written.
    """
    asked = [*events]
    for _ in range(_TRIES):
        decisions = step_all(view, asked)
        after = decisions[-1].after if decisions else view
        writes = [write for one in decisions for write in one.writes]
        if write_all(registry, term, writes):
            return WrittenDecisions(after, decisions)
        view = _read_again(registry, term, view, writes)
    raise BrokerError(
        ErrorCode.NOT_CONTROLLER, "others keep writing the nodes that the controller writes"
    )


def write_all(registry: SharedRegistry, term: Term, writes: Sequence[NodeWrite]) -> bool:
    """Write nodes; return whether they are written. If one has another version, none is.

    The first transaction shows whether this is still the controller. The others follow in order.
    Consecutive states of partitions, as in a failover, are sent together: ZooKeeper flushes its log before
    it answers, and then flushes once for many.

    Raises:
        StorageError: it is unknown what was written, or only a part was.
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
                raise StorageError(
                    "only a part of a decision is written: nodes have other versions"
                )
            continue
        try:
            for part in parts:
                registry.commit(part, guard)
        except RegistryConflict as error:
            raise StorageError(f"only a part of a decision is written: {error}") from error
    return True


def _replaces(part: Iterable[NodeWrite]) -> bool:
    """Whether a transaction only replaces data of given versions."""
    return all(one.data is not None and one.version >= 0 for one in part)


def _parts(writes: Iterable[NodeWrite]) -> Iterator[list[NodeWrite]]:
    """Split writes into transactions that ZooKeeper accepts; a longer node has a transaction of its own."""
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
    """Update the view with what others wrote. Raises AnotherController: it was another controller."""
    found = registry.get(CONTROLLER_EPOCH)
    if found is None or found[1] != term.node_version:
        raise AnotherController
    partitions = {place for one in writes if (place := partition_of(one.path)) is not None}
    return replace(view, image=with_states(registry, view.image, sorted(partitions)))
