"""ControllerChanges: what others write into ZooKeeper for the controller, as events.

Brokers register, tools write topics and what is to be done with them, leaders report ISRs that they wrote
(below inter.broker.protocol.version 2.7), brokers report that log directories failed.

Source: Kafka's KafkaController and its handlers of changes.
"""

import json
import logging
from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple, Protocol

from barnabas.broker.cluster.controller_nodes import read_brokers, read_topics
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
from barnabas.cluster.znodes import decode_partitions, state_path, topic_path
from barnabas.errors import BrokerError, StorageError
from barnabas.ports import SharedRegistry
from barnabas.types import NodeId, TopicPartition

log = logging.getLogger(__name__)

ISR_CHANGES = "/isr_change_notification"
LOG_DIR_EVENTS = "/log_dir_event_notification"
ELECTIONS = "/admin/preferred_replica_election"
MOVES = "/admin/reassign_partitions"


class Taking(Protocol):
    """The controller, as those see it who have an event for it."""

    view: View

    def take(self, *events: ControllerEvent) -> object:
        """Carry out what follows from events; raises StorageError or BrokerError."""
        ...

    def read_states(self, partitions: Iterable[TopicPartition]) -> None:
        """Leaders have written the states of these partitions."""
        ...

    def attempt(self, act: Callable[[], None]) -> None:
        """Do something that may raise; what fails is done again, with all else."""
        ...


class ChangesPorts(NamedTuple):
    """What the changes are read from, and for whom."""

    registry: SharedRegistry
    controller: Taking
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
        """The ends of the watches of topics' nodes."""
        self._moving: set[TopicPartition] = set()
        """The partitions in the node of a tool that waits for them."""

    def begin(self) -> None:
        """Watch; what is there already is for `look`."""
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
        """Watch nothing more."""
        for end in (*self._ends, *self._topics.values()):
            end()
        self._ends.clear()
        self._topics.clear()

    def look(self) -> None:
        """Act on all that was written before there was a controller to watch."""
        for act in (
            self._brokers,
            self._names,
            self._deletions,
            self._isr_changes,
            self._log_dir_events,
            self._elections,
            self._moves,
        ):
            act()

    def after_decision(self) -> None:
        """Take away the node of a tool that waits for partitions, when all have arrived."""
        if not self._moving:
            return
        image = self._controller.view.image
        self._moving = {
            one for one in self._moving if (state := image.partition(one)) and is_under_way(state)
        }
        if not self._moving:
            self._registry.delete(MOVES)

    # --- Brokers and topics -------------------------------------------------------------------

    def _brokers(self) -> None:
        self._controller.take(BrokersChanged(read_brokers(self._registry)))

    def _names(self) -> None:
        names = self._registry.children(TOPICS)
        for name in self._topics.keys() - set(names):
            self._topics.pop(name)()
        for name in names:
            if name not in self._topics:
                look = partial(self._controller.attempt, partial(self._added, [name]))
                self._topics[name] = self._registry.watch(topic_path(name), look)
        known = self._controller.view.image.topics
        self._added([name for name in names if name not in known])

    def _added(self, names: Iterable[str]) -> None:
        """Topics, or partitions of them, that the controller may not know."""
        view = self._controller.view
        events = []
        for name, topic in read_topics(self._registry, names).items():
            known = view.image.topics.get(name)
            new = {
                number: state.replicas
                for number, state in topic.partitions.items()
                if known is None or number not in known.partitions
            }
            if new:
                # One whose state is there, and could not be read, is no new one.
                paths = [state_path(TopicPartition(name, number)) for number in new]
                states = dict(zip(new, self._registry.get_all(paths), strict=True))
                new = {number: nodes for number, nodes in new.items() if states[number] is None}
            if new and name not in view.deletions:
                topic_id = known.topic_id if known is not None else topic.topic_id
                events.append(PartitionsAdded(name, topic_id, new))
        if events:
            self._controller.take(*events)

    def _deletions(self) -> None:
        view, marked = self._controller.view, self._registry.children(DELETIONS)
        known = {name for name in marked if name in view.image.topics}
        refused = set(marked) - known if self._may_delete() else set(marked)
        if refused:
            log.info("topics not deleted", extra={"topics": sorted(refused)})
            self._registry.delete(*(f"{DELETIONS}/{name}" for name in sorted(refused)))
        new = [name for name in marked if name not in refused and name not in view.deletions]
        if new:
            self._controller.take(*map(DeletionAsked, new))

    # --- What leaders and tools write ---------------------------------------------------------

    def _isr_changes(self) -> None:
        found = self._take_nodes(ISR_CHANGES)
        if found:
            partitions = {one for data in found for one in decode_partitions(data)}
            self._controller.read_states(sorted(partitions))

    def _log_dir_events(self) -> None:
        found = self._take_nodes(LOG_DIR_EVENTS)
        try:
            nodes = {NodeId(int(json.loads(data)["broker"])) for data in found}
        except (ValueError, KeyError, TypeError) as error:
            raise StorageError(
                f"a node below {LOG_DIR_EVENTS} names no broker: {error!r}"
            ) from error
        for node_id in sorted(nodes):
            self._controller.take(ReplicasAsked(node_id))

    def _take_nodes(self, path: str) -> list[bytes]:
        """The data of all nodes below one. They are deleted: what they say is acted on now, or read anew."""
        paths = [f"{path}/{name}" for name in self._registry.children(path)]
        found = [node[0] for node in self._registry.get_all(paths) if node is not None]
        if paths:
            self._registry.delete(*paths)
        return found

    def _elections(self) -> None:
        asked = self._asked(ELECTIONS)
        if asked is not None:
            self._controller.take(PreferredElection(tuple(asked)))
            self._registry.delete(ELECTIONS)

    def _moves(self) -> None:
        asked = self._asked(MOVES)
        if asked is None:
            return
        new = {one: nodes for one, nodes in asked.items() if one not in self._moving}
        if new:
            self._moving.update(new)
            try:
                self._controller.take(Reassigned(new))
            except (BrokerError, StorageError):
                # They do not move yet: the node stays until they have.
                self._moving.difference_update(new)
                raise
        elif not asked:
            self._registry.delete(MOVES)

    def _asked(self, path: str) -> dict[TopicPartition, tuple[NodeId, ...]] | None:
        """The partitions in a tool's node; None: there is none. One that cannot be read is deleted."""
        node = self._registry.get(path)
        if node is None or not node[0]:
            return None
        try:
            return decode_partitions(node[0])
        except StorageError as error:
            log.error("a tool's node is deleted", extra={"path": path, "error": error})  # noqa: TRY400 - it says why
            self._registry.delete(path)
            return None
