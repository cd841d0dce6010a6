"""Controllership: one term of this broker as the controller, from its election to its resignation.

An event becomes a decision (`cluster.controller`). The decision's nodes are written, with the controller epoch
checked, before its requests are sent. If it is unknown what was written, the controller starts over in the same
term: it reads all nodes and sends every broker the whole state.
"""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from barnabas.broker.cluster.controller_changes import ChangesPorts, ControllerChanges
from barnabas.broker.cluster.controller_election import Term
from barnabas.broker.cluster.controller_nodes import (
    FoundNodes,
    read_view,
    with_states,
    with_unclean,
)
from barnabas.broker.cluster.controller_writes import (
    AnotherController,
    WrittenDecisions,
    carry_out,
    write_all,
)
from barnabas.broker.cluster.inter_broker import InterBrokerVersions
from barnabas.broker.cluster.leader_rebalance import Balance, LeaderRebalance
from barnabas.broker.cluster.peer_connection import Address, PeerConnection
from barnabas.broker.cluster.request_queues import RequestQueues
from barnabas.broker.purgatory.pending import Pending
from barnabas.broker.purgatory.registry_calls import StepQueue, ask
from barnabas.broker.purgatory.stepping import Steps
from barnabas.cluster.events import (
    ControllerEvent,
    Elected,
    IsrWritten,
    ReplicasDeleted,
    ReplicasFailed,
    UncleanElection,
)
from barnabas.cluster.image import NO_LEADER, ClusterImage, ImageDelta, TopicDelta
from barnabas.cluster.requests import BrokerRequest
from barnabas.cluster.view import Decision, View
from barnabas.cluster.znodes import encode_topic, topic_path
from barnabas.errors import BrokerError, ErrorCode, KafkaError
from barnabas.ports import Entropy, SharedRegistry, Timer, Timers
from barnabas.protocol.leader_and_isr import LeaderAndIsrResponse
from barnabas.protocol.stop_replica import StopReplicaRequest, StopReplicaResponse
from barnabas.types import NodeId, NodeWrite, TopicPartition
from barnabas.wire.schema import NO_UUID

log = logging.getLogger(__name__)

_AGAIN_SECONDS = 1.0


class ControllerPorts(NamedTuple):
    """What a controller needs of its broker."""

    node_id: NodeId
    registry: SharedRegistry
    timers: Timers
    entropy: Entropy
    versions: InterBrokerVersions
    connect: Callable[[Address], PeerConnection]
    listener: str
    """The name of the listener that brokers use among themselves."""
    may_delete: Callable[[], bool]
    """`delete.topic.enable`."""
    balance: Balance = Balance()
    may_be_unclean: Callable[[], bool] = bool
    """`unclean.leader.election.enable` of this broker."""


class Controllership:
    """The controller's view of the cluster, changed by one event at a time. Call `begin` first, `end` last.

    Decisions are made and written beside the loop; the view and the requests belong to the loop. Results
    that arrive after the end of the term have no effect.
    """

    def __init__(self, ports: ControllerPorts, term: Term, look: Callable[[], None]) -> None:
        """`look` finds the controller; it is called when that may be another broker."""
        self._ports = ports
        self._look = look
        self._term = term
        self.view = View(ClusterImage())
        self._is_ready = False
        self._is_over = False
        self._again: Timer | None = None
        self._events = StepQueue()
        self._changes = ControllerChanges(ChangesPorts(ports.registry, self, ports.may_delete))
        self._rebalance = LeaderRebalance(ports.balance, ports.timers, self)
        self._queues = RequestQueues(ports.connect, ports.timers, ports.versions, self._answered)

    def begin(self) -> None:
        """Start to watch, read all nodes, and send every broker the state."""
        self._changes.begin()
        self.put(self._begin())
        self._rebalance.begin()

    def end(self) -> None:
        """End the term: make no more decisions, and close all connections."""
        self._is_over, self._is_ready = True, False
        self._changes.end()
        self._rebalance.end()
        self._queues.close()
        if self._again is not None:
            self._again.cancel()

    def put(self, steps: Steps[Any]) -> Pending:
        """Run steps after those of all earlier events; their result or error completes the Pending."""
        return self._events.put(steps)

    def ask(self, work: Callable[[], Any]) -> Steps[Any]:
        """Run `work`, which calls the registry, beside the loop; return its result.

        Raises:
            BrokerError: NOT_CONTROLLER: the term has ended meanwhile.
        """
        found = yield ask(self._ports.registry, work)
        if self._is_over:
            raise AnotherController
        return found

    def take(self, *events: ControllerEvent) -> Steps[Sequence[Decision]]:
        """Decide on events one after the other, write and send the decisions; return them.

        Raises:
            BrokerError: NOT_CONTROLLER: another broker is the controller, or this one is not ready.
            StorageError: ZooKeeper does not answer; the controller starts over.
        """
        self._check()
        registry, view = self._ports.registry, self.view
        try:
            carried: WrittenDecisions = yield from self.ask(
                lambda: carry_out(registry, self._term, view, events)
            )
        except AnotherController:
            self._is_ready = False
            self._ports.timers.soon(self._look)
            raise
        except KafkaError as error:
            self._begin_again(error)
            raise
        self.view, decisions = carried
        self._queues.know(self.view.image.brokers)
        self._queues.send(request for one in decisions for request in one.requests)
        self.attempt(self._changes.after_decision)
        return decisions

    def read_states(self, partitions: Iterable[TopicPartition]) -> Steps[None]:
        """Read the states of these partitions, which their leaders have written."""
        known = [one for one in partitions if self.view.image.partition(one) is not None]
        registry, before = self._ports.registry, self.view.image
        image = yield from self.ask(lambda: with_states(registry, before, known))
        self.view = replace(self.view, image=image)
        yield from self.take(IsrWritten(tuple(known)))

    def take_config(self, name: str, config: Mapping[str, str]) -> Steps[None]:
        """Take a topic's properties, which may have begun or ceased to allow unclean elections."""
        self.view = replace(self.view, unclean=with_unclean(self.view.unclean, {name: config}))
        yield from self._elect_offline({name} & self.view.image.topics.keys())

    def take_unclean_default(self) -> Steps[None]:
        """Take `unclean.leader.election.enable` of this broker, which may have changed."""
        self.view = replace(self.view, unclean_by_default=self._ports.may_be_unclean())
        yield from self._elect_offline(self.view.image.topics)

    def _elect_offline(self, topics: Iterable[str]) -> Steps[None]:
        """Elect leaders for partitions without one, in topics that allow unclean elections."""
        offline = tuple(
            TopicPartition(name, index)
            for name in topics
            if self.view.allows_unclean(name) and name not in self.view.deletions
            for index, state in self.view.image.topics[name].partitions.items()
            if state.leader == NO_LEADER
        )
        if offline:
            yield from self.take(UncleanElection(offline))

    @property
    def is_ready(self) -> bool:
        """Whether it accepts events."""
        return self._is_ready

    def write(self, writes: Sequence[NodeWrite]) -> Steps[None]:
        """Write nodes that belong to no decision.

        Raises:
            BrokerError: NOT_CONTROLLER: another broker is the controller, or has written these nodes.
            StorageError: ZooKeeper does not answer.
        """
        self._check()
        registry = self._ports.registry
        if not (yield from self.ask(lambda: write_all(registry, self._term, writes))):
            raise BrokerError(ErrorCode.NOT_CONTROLLER, "the controller could not write")

    def _check(self) -> None:
        if not self._is_ready:
            raise BrokerError(ErrorCode.NOT_CONTROLLER, "the controller is not ready yet")

    def attempt(self, act: Callable[[], Steps[Any]]) -> None:
        """Queue work that may raise a KafkaError; after a failure the controller starts over."""
        self.put(self._attempt(act))

    def _attempt(self, act: Callable[[], Steps[Any]]) -> Steps[None]:
        if not self._is_ready:
            return  # When it becomes ready, it reads everything.
        try:
            yield from act()
        except KafkaError as error:
            self._begin_again(error)

    # --- Starting and starting over -----------------------------------------------------------

    def _begin(self) -> Steps[None]:
        self._again = None
        ports, epoch = self._ports, self._term.epoch
        try:
            found: FoundNodes = yield from self.ask(
                lambda: read_view(ports.registry, ports.node_id, epoch, ports.listener)
            )
            # State that is in no node must survive a restart of the controller.
            self.view = replace(
                found.view,
                shutting_down=self.view.shutting_down,
                unclean_by_default=ports.may_be_unclean(),
            )
            self._is_ready = True
            yield from self._give_ids()
            yield from self.take(Elected(found.written))
            yield from self._changes.look()
        except KafkaError as error:
            self._begin_again(error)

    def _begin_again(self, error: Exception) -> None:
        self._is_ready = False
        if self._again is None and not self._is_over:
            log.warning("controller starts over", extra={"error": error})
            self._again = self._ports.timers.after(_AGAIN_SECONDS, self._put_begin)

    def _put_begin(self) -> None:
        self.put(self._begin())

    def _give_ids(self) -> Steps[None]:
        """Give ids to topics created before Kafka 2.8 (KIP-516)."""
        image = self.view.image
        new = {
            name: replace(topic, topic_id=self._ports.entropy.uuid())
            for name, topic in image.topics.items()
            if topic.topic_id == NO_UUID and self._ports.versions.topic_ids >= 0
        }
        if new:
            rows = [NodeWrite(topic_path(name), encode_topic(one)) for name, one in new.items()]
            yield from self.write(rows)
            deltas = {name: TopicDelta(topic_id=one.topic_id) for name, one in new.items()}
            self.view = replace(self.view, image=image.apply(ImageDelta(topics=deltas)))

    # --- Responses ----------------------------------------------------------------------------

    def _answered(self, request: BrokerRequest, response: object) -> None:
        code = ErrorCode.of(getattr(response, "error_code", 0))
        if code:
            fields = {"node": request.node_id, "error": code.name}
            log.warning("a broker refused a request of the controller", extra=fields)
            if code == ErrorCode.STALE_CONTROLLER_EPOCH:
                self._look()
        elif isinstance(response, StopReplicaResponse):
            message = request.message
            if isinstance(message, StopReplicaRequest) and message.delete_partitions:
                errors = {
                    TopicPartition(row.topic_name, row.partition_index): ErrorCode.of(
                        row.error_code
                    )
                    for row in response.partition_errors
                }
                self.attempt(lambda: self.take(ReplicasDeleted(request.node_id, errors)))
        elif isinstance(response, LeaderAndIsrResponse):
            failed = self._failed(response)
            if failed:
                self.attempt(lambda: self.take(ReplicasFailed(request.node_id, failed)))

    def _failed(self, response: LeaderAndIsrResponse) -> tuple[TopicPartition, ...]:
        """The replicas that a response reports as offline."""
        rows = [(row.topic_name, row) for row in response.partition_errors]
        for topic in response.topics:
            name = self.view.image.names.get(topic.topic_id, "")
            rows += [(name, row) for row in topic.partition_errors]
        return tuple(
            TopicPartition(name, row.partition_index)
            for name, row in rows
            if row.error_code == ErrorCode.KAFKA_STORAGE_ERROR
        )
