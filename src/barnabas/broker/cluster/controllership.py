"""Controllership: one term of this broker as the controller, from its election to its resignation.

An event becomes a decision (`cluster.controller`), whose nodes are written with the epoch checked before
its requests are sent. Where it is not known what was written, all begins anew in the same term: the nodes
are read, and all brokers get all.
"""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from barnabas.broker.cluster.controller_changes import ChangesPorts, ControllerChanges
from barnabas.broker.cluster.controller_election import Term
from barnabas.broker.cluster.controller_nodes import read_view, with_states, with_unclean
from barnabas.broker.cluster.inter_broker import InterBrokerVersions
from barnabas.broker.cluster.leader_rebalance import Balance, LeaderRebalance
from barnabas.broker.cluster.peer_connection import Address, PeerConnection
from barnabas.broker.cluster.request_queues import RequestQueues
from barnabas.broker.znodes.broker_znodes import CONTROLLER_EPOCH
from barnabas.cluster.controller import step
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
from barnabas.cluster.znodes import encode_topic, partition_of, topic_path
from barnabas.errors import BrokerError, ErrorCode, KafkaError, RegistryConflict, StorageError
from barnabas.ports import Entropy, SharedRegistry, Timer, Timers
from barnabas.protocol.leader_and_isr import LeaderAndIsrResponse
from barnabas.protocol.stop_replica import StopReplicaRequest, StopReplicaResponse
from barnabas.types import NodeId, NodeWrite, TopicPartition
from barnabas.wire.schema import NO_UUID

log = logging.getLogger(__name__)

_TRIES = 20
"""How often leaders may be quicker with their ISRs, one after the other."""
_WRITES_AT_ONCE = 128
"""Nodes of a transaction: far below what ZooKeeper takes as one request (1 MiB)."""
_AGAIN_SECONDS = 1.0


class ControllerPorts(NamedTuple):
    """What a controller stands on."""

    node_id: NodeId
    registry: SharedRegistry
    timers: Timers
    entropy: Entropy
    versions: InterBrokerVersions
    connect: Callable[[Address], PeerConnection]
    listener: str
    """The listener by which brokers reach each other."""
    may_delete: Callable[[], bool]
    """`delete.topic.enable`."""
    balance: Balance = Balance()
    may_be_unclean: Callable[[], bool] = bool
    """`unclean.leader.election.enable` of this broker."""


class Controllership:
    """The view of the cluster, and what changes it. `begin` comes first, `end` last."""

    def __init__(self, ports: ControllerPorts, term: Term, look: Callable[[], None]) -> None:
        """`look`: see who is the controller, as somebody else may be."""
        self._ports = ports
        self._look = look
        self._term = term
        self.view = View(ClusterImage())
        self._is_ready = False
        self._is_over = False
        self._again: Timer | None = None
        self._changes = ControllerChanges(ChangesPorts(ports.registry, self, ports.may_delete))
        self._rebalance = LeaderRebalance(ports.balance, ports.timers, self)
        self._queues = RequestQueues(ports.connect, ports.timers, ports.versions, self._answered)

    def begin(self) -> None:
        """Watch, read what there is, and have all brokers know it."""
        self._changes.begin()
        self._begin()
        self._rebalance.begin()

    def end(self) -> None:
        """Decide nothing more."""
        self._is_over, self._is_ready = True, False
        self._changes.end()
        self._rebalance.end()
        self._queues.close()
        if self._again is not None:
            self._again.cancel()

    def take(self, *events: ControllerEvent) -> Sequence[Decision]:
        """Decide on events one after the other, write, send; the decision on each.

        Raises:
            BrokerError: NOT_CONTROLLER: another broker is the controller, or this one is not ready.
            StorageError: ZooKeeper does not answer; what was written is found out later.
        """
        if not self._is_ready:
            raise BrokerError(ErrorCode.NOT_CONTROLLER, "the controller is not ready yet")
        for _ in range(_TRIES):
            view, decisions = self.view, []
            for event in events:
                decisions.append(step(view, event))
                view = decisions[-1].after
            writes = [write for one in decisions for write in one.writes]
            try:
                written = self._write(writes)
            except StorageError as error:
                self._begin_again(error)
                raise
            if not written:
                self._read_again(writes)
                continue
            self.view = view
            self._queues.know(view.image.brokers)
            self._queues.send(request for one in decisions for request in one.requests)
            self.attempt(self._changes.after_decision)
            return decisions
        conflict = BrokerError(ErrorCode.NOT_CONTROLLER, "others write what the controller does")
        self._begin_again(conflict)
        raise conflict

    def read_states(self, partitions: Iterable[TopicPartition]) -> None:
        """Leaders have written the states of these partitions."""
        known = [one for one in partitions if self.view.image.partition(one) is not None]
        image = with_states(self._ports.registry, self.view.image, known)
        self.view = replace(self.view, image=image)
        self.take(IsrWritten(tuple(known)))

    def take_config(self, name: str, config: Mapping[str, str]) -> None:
        """A topic has these properties now: replicas that lack records may lead it, or not any more."""
        self.view = replace(self.view, unclean=with_unclean(self.view.unclean, {name: config}))
        self._elect_offline({name} & self.view.image.topics.keys())

    def take_unclean_default(self) -> None:
        """`unclean.leader.election.enable` of this broker may be another one now."""
        self.view = replace(self.view, unclean_by_default=self._ports.may_be_unclean())
        self._elect_offline(self.view.image.topics)

    def _elect_offline(self, topics: Iterable[str]) -> None:
        """Elect leaders where there is none, of topics that let replicas lead that are not in sync."""
        offline = tuple(
            TopicPartition(name, index)
            for name in topics
            if self.view.allows_unclean(name) and name not in self.view.deletions
            for index, state in self.view.image.topics[name].partitions.items()
            if state.leader == NO_LEADER
        )
        if offline:
            self.take(UncleanElection(offline))

    @property
    def is_ready(self) -> bool:
        """Whether it takes events."""
        return self._is_ready

    def write(self, writes: Sequence[NodeWrite]) -> None:
        """Write nodes that are no decision's.

        Raises:
            BrokerError: NOT_CONTROLLER: another broker is the controller, or has written them.
            StorageError: ZooKeeper does not answer.
        """
        if not self._is_ready or not self._write(writes):
            raise BrokerError(ErrorCode.NOT_CONTROLLER, "the controller could not write")

    def attempt(self, act: Callable[[], None]) -> None:
        """Do something that may raise; what fails is done again, with all else."""
        if not self._is_ready:
            return  # All is read when it is.
        try:
            act()
        except (KafkaError, StorageError) as error:
            self._begin_again(error)

    # --- Beginnings ---------------------------------------------------------------------------

    def _begin(self) -> None:
        self._again = None
        if self._is_over:
            return
        ports = self._ports
        try:
            view = read_view(ports.registry, ports.node_id, self._term.epoch, ports.listener)
            # What only a controller knows outlasts a second beginning.
            self.view = replace(
                view,
                shutting_down=self.view.shutting_down,
                unclean_by_default=ports.may_be_unclean(),
            )
            self._is_ready = True
            self._give_ids()
            self.take(Elected())
            self._changes.look()
        except (KafkaError, StorageError) as error:
            self._begin_again(error)

    def _begin_again(self, error: Exception) -> None:
        self._is_ready = False
        if self._again is None and not self._is_over:
            log.warning("controller begins anew", extra={"error": error})
            self._again = self._ports.timers.after(_AGAIN_SECONDS, self._begin)

    def _give_ids(self) -> None:
        """Topics of before 2.8 get ids (KIP-516)."""
        image = self.view.image
        new = {
            name: replace(topic, topic_id=self._ports.entropy.uuid())
            for name, topic in image.topics.items()
            if topic.topic_id == NO_UUID and self._ports.versions.topic_ids >= 0
        }
        self.write([NodeWrite(topic_path(name), encode_topic(one)) for name, one in new.items()])
        deltas = {name: TopicDelta(topic_id=one.topic_id) for name, one in new.items()}
        self.view = replace(self.view, image=image.apply(ImageDelta(topics=deltas)))

    # --- Nodes --------------------------------------------------------------------------------

    def _write(self, writes: Sequence[NodeWrite]) -> bool:
        """Whether all are written; False: none is, as one of the nodes has another version.

        Raises:
            StorageError: it is not known.
        """
        guard = {CONTROLLER_EPOCH: self._term.node_version}
        for first in range(0, len(writes), _WRITES_AT_ONCE):
            try:
                self._ports.registry.commit(writes[first : first + _WRITES_AT_ONCE], guard)
            except RegistryConflict as error:
                if first:
                    raise StorageError(f"a part of a decision is written: {error}") from error
                return False
        return True

    def _read_again(self, writes: Iterable[NodeWrite]) -> None:
        """Find out who wrote: another controller, or leaders.

        Raises:
            BrokerError: NOT_CONTROLLER: another one.
        """
        found = self._ports.registry.get(CONTROLLER_EPOCH)
        if found is None or found[1] != self._term.node_version:
            self._is_ready = False
            self._ports.timers.soon(self._look)
            raise BrokerError(ErrorCode.NOT_CONTROLLER, "another broker is the controller")
        partitions = {place for one in writes if (place := partition_of(one.path)) is not None}
        image = with_states(self._ports.registry, self.view.image, sorted(partitions))
        self.view = replace(self.view, image=image)

    # --- Answers ------------------------------------------------------------------------------

    def _answered(self, request: BrokerRequest, response: object) -> None:
        code = ErrorCode.of(getattr(response, "error_code", 0))
        if code:
            fields = {"node": request.node_id, "error": code.name}
            log.warning("a broker refuses a request of the controller", extra=fields)
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
                self.attempt(lambda: self._take_one(ReplicasDeleted(request.node_id, errors)))
        elif isinstance(response, LeaderAndIsrResponse):
            failed = self._failed(response)
            if failed:
                self.attempt(lambda: self._take_one(ReplicasFailed(request.node_id, failed)))

    def _take_one(self, event: ControllerEvent) -> None:
        self.take(event)

    def _failed(self, response: LeaderAndIsrResponse) -> tuple[TopicPartition, ...]:
        """The replicas whose log directories have failed."""
        rows = [(row.topic_name, row) for row in response.partition_errors]
        for topic in response.topics:
            name = self.view.image.names.get(topic.topic_id, "")
            rows += [(name, row) for row in topic.partition_errors]
        return tuple(
            TopicPartition(name, row.partition_index)
            for name, row in rows
            if row.error_code == ErrorCode.KAFKA_STORAGE_ERROR
        )
