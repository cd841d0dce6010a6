"""ClusterController: this broker as the controller of its cluster, while it is elected."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from barnabas.broker.cluster.controller_election import ControllerElection, Term
from barnabas.broker.cluster.controllership import ControllerPorts, Controllership
from barnabas.broker.purgatory.pending import Pending
from barnabas.broker.purgatory.stepping import Steps
from barnabas.broker.znodes.topic_znodes import DELETIONS
from barnabas.cluster.events import ControllerEvent, DeletionAsked, PartitionsAdded
from barnabas.cluster.image import NO_LEADER, PartitionState
from barnabas.cluster.placement import place
from barnabas.cluster.view import View
from barnabas.cluster.znodes import encode_topic, topic_path
from barnabas.errors import BrokerError, ErrorCode
from barnabas.ports import Clock
from barnabas.types import MUST_BE_NEW, NodeId, NodeWrite, Topic
from barnabas.wire.schema import NO_UUID


class ClusterController:
    """Serves requests to the controller, or refuses them with NOT_CONTROLLER while another broker is it."""

    def __init__(self, ports: ControllerPorts, clock: Clock) -> None:
        self._ports = ports
        self._term: Controllership | None = None
        self._election = ControllerElection(
            ports.node_id, ports.registry, clock, ports.timers, self._elected, self._over
        )

    def start(self) -> None:
        """Stand for election. The broker must be registered."""
        self._election.start()

    def stop(self) -> None:
        """Resign."""
        self._election.stop()

    @property
    def is_active(self) -> bool:
        """Whether this broker is the controller and accepts events."""
        return self._term is not None and self._term.is_ready

    @property
    def view(self) -> View:
        """The controller's view of the cluster. Raises BrokerError: NOT_CONTROLLER."""
        return self._active.view

    def take(self, *events: ControllerEvent) -> Pending:
        """Decide on events, as `Controllership.take`, whose result completes the Pending.

        Raises:
            BrokerError: NOT_CONTROLLER.
        """
        active = self._active
        return active.put(active.take(*events))

    # --- Topics -------------------------------------------------------------------------------

    def place(
        self, partitions: Sequence[int], replicas: int, before: Sequence[NodeId] = ()
    ) -> dict[int, list[int]]:
        """Choose the replicas of new partitions; `before`: those of partition 0, if it exists.

        Raises:
            BrokerError: INVALID_REPLICATION_FACTOR; NOT_CONTROLLER.
        """
        racks = {one: broker.rack for one, broker in self.view.image.brokers.items()}
        below, count = self._ports.entropy.below, max(len(racks), 1)
        ring = sorted(racks)
        start = ring.index(before[0]) if before and before[0] in racks else below(count)
        placed = place(racks, partitions, replicas, start, below(count))
        return {number: [*nodes] for number, nodes in placed.items()}

    def new_id(self) -> bytes:
        """Return an id for a new topic; NO_UUID if the cluster does not use topic ids."""
        return self._ports.entropy.uuid() if self._ports.versions.topic_ids >= 0 else NO_UUID

    def added(self, topic: Topic) -> None:
        """Elect leaders for a topic whose node was written. A failure is retried."""
        replicas = {number: tuple(map(NodeId, one)) for number, one in topic.partitions.items()}
        event = PartitionsAdded(topic.name, topic.topic_id, replicas)
        active = self._active
        active.attempt(lambda: active.take(event))

    def take_config(self, name: str, config: Mapping[str, str]) -> None:
        """Take changed topic properties, if this broker is the controller. A failure is retried."""
        term = self._term
        if term is not None:
            term.attempt(lambda: term.take_config(name, config))

    def take_unclean_default(self) -> None:
        """Take this broker's `unclean.leader.election.enable`, which may have changed. A failure is retried."""
        term = self._term
        if term is not None:
            term.attempt(term.take_unclean_default)

    def extend(self, name: str, added: Mapping[int, Sequence[int]]) -> Pending:
        """Add partitions to a topic. The Pending completes when they are written, or with an error.

        The error is a BrokerError if there is no such topic or the term has ended, a StorageError if
        ZooKeeper does not answer.

        Raises:
            BrokerError: NOT_CONTROLLER.
        """
        active = self._active
        return active.put(_extend(active, name, added))

    def delete(self, names: Iterable[str]) -> Pending:
        """Mark topics for deletion; each is deleted when all its replicas are.

        Errors as in `extend`.
        """
        active = self._active
        return active.put(_delete(active, names))

    # --- Terms --------------------------------------------------------------------------------

    @property
    def _active(self) -> Controllership:
        if self._term is None:
            raise BrokerError(ErrorCode.NOT_CONTROLLER, "another broker is the controller")
        return self._term

    def _elected(self, term: Term) -> None:
        self._term = Controllership(self._ports, term, self._election.look)
        self._term.begin()

    def _over(self) -> None:
        if self._term is not None:
            self._term.end()
            self._term = None


def _extend(active: Controllership, name: str, added: Mapping[int, Sequence[int]]) -> Steps[None]:
    topic = active.view.image.topics.get(name)
    if topic is None or name in active.view.deletions:
        raise BrokerError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"there is no topic {name}")
    replicas = {number: tuple(map(NodeId, one)) for number, one in added.items()}
    new = {n: PartitionState(NO_LEADER, -1, (), one) for n, one in replicas.items()}
    whole = replace(topic, partitions={**topic.partitions, **new})
    yield from active.write([NodeWrite(topic_path(name), encode_topic(whole))])
    yield from active.take(PartitionsAdded(name, topic.topic_id, replicas))


def _delete(active: Controllership, names: Iterable[str]) -> Steps[None]:
    wanted = [name for name in names if name not in active.view.deletions]
    yield from active.write([NodeWrite(f"{DELETIONS}/{name}", b"", MUST_BE_NEW) for name in wanted])
    yield from active.take(*map(DeletionAsked, wanted))
