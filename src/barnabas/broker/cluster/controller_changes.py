"""ControllerChanges: watches ZooKeeper for the controller, and turns changes into events.

Brokers register; tools write topics, deletions, elections and reassignments; leaders report ISRs that they
wrote (below inter.broker.protocol.version 2.7); brokers report failed log directories.

Source: Kafka's KafkaController and its change handlers.
"""

import logging
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol, TypeVar

from barnabas.broker.cluster.controller_nodes import read_brokers, read_topics
from barnabas.broker.purgatory.stepping import Steps
from barnabas.broker.znodes.broker_znodes import BROKERS
from barnabas.broker.znodes.topic_znodes import DELETIONS, TOPICS
from barnabas.cluster.events import (
    BrokersChanged,
    ControllerEvent,
    DeletionAsked,
    PartitionsAdded,
    PreferredElection,
    Reassigned,
    ReplicasAsked,
)
from barnabas.cluster.reassignment import is_under_way
from barnabas.cluster.view import View
from barnabas.cluster.znodes import decode_failed_broker, decode_partitions, state_path, topic_path
from barnabas.errors import BrokerError, StorageError
from barnabas.ports import SharedRegistry
from barnabas.types import NodeId, NodeWrite, TopicPartition

log = logging.getLogger(__name__)
_Named = TypeVar("_Named")

ISR_CHANGES = "/isr_change_notification"
LOG_DIR_EVENTS = "/log_dir_event_notification"
ELECTIONS = "/admin/preferred_replica_election"
MOVES = "/admin/reassign_partitions"


class ControllerEvents(Protocol):
    """The part of the controller that sources of events use."""

    view: View

    def ask(self, work: Callable[[], Any]) -> Steps[Any]:
        """Return the result of registry calls; raises BrokerError if the term has ended meanwhile."""
        ...

    def take(self, *events: ControllerEvent) -> Steps[Any]:
        """Decide on events and carry the decisions out; raises StorageError or BrokerError."""
        ...

    def write(self, writes: Sequence[NodeWrite]) -> Steps[None]:
        """Write nodes, if this is still the controller; raises StorageError or BrokerError."""
        ...

    def read_states(self, partitions: Iterable[TopicPartition]) -> Steps[None]:
        """Read the states of these partitions, which their leaders have written."""
        ...

    def attempt(self, act: Callable[[], Steps[Any]]) -> None:
        """Queue work that may raise a KafkaError; after a failure the controller starts over."""
        ...


class ChangesPorts(NamedTuple):
    """What `ControllerChanges` needs: the registry, the controller, and a property."""

    registry: SharedRegistry
    controller: ControllerEvents
    may_delete: Callable[[], bool]
    """`delete.topic.enable`."""


class ControllerChanges:
    """The watches of one controller."""

    def __init__(self, ports: ChangesPorts) -> None:
        self._registry = ports.registry
        self._controller = ports.controller
        self._may_delete = ports.may_delete
        self._ends: list[Callable[[], None]] = []
        self._topics: dict[str, Callable[[], None]] = {}
        """The functions that end the watches of topic nodes, by topic."""
        self._moving: set[TopicPartition] = set()
        """The partitions in a tool's reassignment node whose moves are under way."""

    def begin(self) -> None:
        """Start to watch. `look` handles what exists already."""
        for path, act in (
            (BROKERS, self._brokers),
            (TOPICS, self._names),
            (DELETIONS, self._deletions),
            (ISR_CHANGES, self._isr_changes),
            (LOG_DIR_EVENTS, self._log_dir_events),
            (ELECTIONS, self._elections),
            (MOVES, self._moves),
        ):
            self._ends.append(self._registry.watch(path, partial(self._controller.attempt, act)))

    def end(self) -> None:
        """End all watches."""
        for end in (*self._ends, *self._topics.values()):
            end()
        self._ends.clear()
        self._topics.clear()

    def look(self) -> Steps[None]:
        """Handle everything that was written before the watches started."""
        for act in (
            self._brokers,
            self._names,
            self._deletions,
            self._isr_changes,
            self._log_dir_events,
            self._elections,
            self._moves,
        ):
            yield from act()

    def after_decision(self) -> Steps[None]:
        """Delete a tool's reassignment node when all its moves are complete."""
        if not self._moving:
            return
        image = self._controller.view.image
        self._moving = {
            one for one in self._moving if (state := image.partition(one)) and is_under_way(state)
        }
        if not self._moving:
            yield from self._delete(MOVES)

    def _delete(self, *paths: str) -> Steps[None]:
        """Delete handled nodes, if this is still the controller."""
        yield from self._controller.write([NodeWrite(path, None) for path in paths])

    # --- Brokers and topics -------------------------------------------------------------------

    def _brokers(self) -> Steps[None]:
        brokers = yield from self._controller.ask(partial(read_brokers, self._registry))
        yield from self._controller.take(BrokersChanged(brokers))

    def _names(self) -> Steps[None]:
        names = yield from self._children(TOPICS)
        for name in self._topics.keys() - set(names):
            self._topics.pop(name)()
        for name in names:
            if name not in self._topics:
                look = partial(self._controller.attempt, partial(self._added, [name]))
                self._topics[name] = self._registry.watch(topic_path(name), look)
        known = self._controller.view.image.topics
        yield from self._added([name for name in names if name not in known])

    def _children(self, path: str) -> Steps[list[str]]:
        names: list[str] = yield from self._controller.ask(partial(self._registry.children, path))
        return names

    def _added(self, names: Sequence[str]) -> Steps[None]:
        """Handle topics of which the controller may not know all partitions."""
        view, registry = self._controller.view, self._registry
        if names:
            events = yield from self._controller.ask(lambda: _added_in(view, registry, names))
            if events:
                yield from self._controller.take(*events)

    def _deletions(self) -> Steps[None]:
        view, marked = self._controller.view, (yield from self._children(DELETIONS))
        known = {name for name in marked if name in view.image.topics}
        refused = set(marked) - known if self._may_delete() else set(marked)
        if refused:
            log.info("topics not deleted", extra={"topics": sorted(refused)})
            yield from self._delete(*(f"{DELETIONS}/{name}" for name in sorted(refused)))
        new = [name for name in marked if name not in refused and name not in view.deletions]
        if new:
            yield from self._controller.take(*map(DeletionAsked, new))

    # --- Nodes of leaders, brokers and tools --------------------------------------------------

    def _isr_changes(self) -> Steps[None]:
        partitions = yield from self._take_nodes(ISR_CHANGES, decode_partitions)
        if partitions:
            yield from self._controller.read_states(sorted(partitions))

    def _log_dir_events(self) -> Steps[None]:
        nodes = yield from self._take_nodes(LOG_DIR_EVENTS, decode_failed_broker)
        for node_id in sorted(nodes):
            yield from self._controller.take(ReplicasAsked(node_id))

    def _take_nodes(
        self, path: str, decode: Callable[[bytes], Iterable[_Named]]
    ) -> Steps[set[_Named]]:
        """Return what the nodes below a path contain, and delete them: even unreadable ones, as Kafka does."""
        registry = self._registry

        def read() -> dict[str, tuple[bytes, int] | None]:
            paths = [f"{path}/{name}" for name in registry.children(path)]
            return dict(zip(paths, registry.get_all(paths), strict=True))

        found = yield from self._controller.ask(read)
        if found:
            yield from self._delete(*found)
        named: set[_Named] = set()
        for place, node in found.items():
            try:
                named.update(decode(node[0]) if node is not None else ())
            except StorageError as error:
                log.warning("damaged node ignored", extra={"path": place, "error": error})
        return named

    def _elections(self) -> Steps[None]:
        asked = yield from self._asked(ELECTIONS)
        if asked is not None:
            yield from self._controller.take(PreferredElection(tuple(asked)))
            yield from self._delete(ELECTIONS)

    def _moves(self) -> Steps[None]:
        asked = yield from self._asked(MOVES)
        if asked is None:
            return
        new = {one: nodes for one, nodes in asked.items() if one not in self._moving}
        if new:
            self._moving.update(new)
            try:
                yield from self._controller.take(Reassigned(new))
            except (BrokerError, StorageError):
                # No move has started: the node stays, so that it is handled again.
                self._moving.difference_update(new)
                raise
        elif not asked:
            yield from self._delete(MOVES)

    def _asked(self, path: str) -> Steps[dict[TopicPartition, tuple[NodeId, ...]] | None]:
        """The partitions in a tool's node; None: no node. An unreadable node is deleted."""
        node = yield from self._controller.ask(partial(self._registry.get, path))
        if node is None or not node[0]:
            return None
        try:
            return decode_partitions(node[0])
        except StorageError as error:
            log.error("unreadable node of a tool deleted", extra={"path": path, "error": error})  # noqa: TRY400 - it says why
        yield from self._delete(path)
        return None


def _added_in(view: View, registry: SharedRegistry, names: Sequence[str]) -> list[PartitionsAdded]:
    """The partitions of these topics that a view lacks."""
    events = []
    for name, topic in read_topics(registry, names, view.image.names).items():
        known = view.image.topics.get(name)
        new = {
            number: state.replicas
            for number, state in topic.partitions.items()
            if known is None or number not in known.partitions
        }
        if new:
            # A partition with a state node is not new, even if its state could not be read.
            paths = [state_path(TopicPartition(name, number)) for number in new]
            states = dict(zip(new, registry.get_all(paths), strict=True))
            new = {number: nodes for number, nodes in new.items() if states[number] is None}
        if new and name not in view.deletions:
            topic_id = known.topic_id if known is not None else topic.topic_id
            events.append(PartitionsAdded(name, topic_id, new))
    return events
