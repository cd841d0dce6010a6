"""IsrChanges: sends the ISRs that leaders propose to the controller or ZooKeeper.

Below inter.broker.protocol.version 2.7 the leader writes its ISR into the partition's znode, unless that has
changed, and notifies the controller with a node below /isr_change_notification. From 2.7 on it sends the
controller an AlterPartition (KIP-497).
"""

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

from barnabas.broker.cluster.inter_broker import InterBrokerVersions
from barnabas.broker.replicas.leader_role import LeaderRole
from barnabas.cluster.image import PartitionState
from barnabas.cluster.znodes import decode_state, encode_state, state_path
from barnabas.errors import ErrorCode, KafkaError, RegistryConflict, StorageError
from barnabas.ports import Clock, SharedRegistry, Timers
from barnabas.protocol.alter_partition import (
    AlterPartitionRequest,
    AlterPartitionRequestPartition,
    AlterPartitionRequestTopic,
    AlterPartitionResponse,
    AlterPartitionResponsePartition,
)
from barnabas.replication.effects import IsrProposal
from barnabas.types import NodeId, TopicPartition

log = logging.getLogger(__name__)

_NOTIFICATIONS = "/isr_change_notification/isr_change_"
_NOTIFY_SECONDS = 2.5
"""How long changes are collected before they are reported together. Source: Kafka's ReplicaManager."""


_REPEAT_SECONDS = 30.0
"""How often the same failure is logged at most, while it lasts."""


class IsrPorts(NamedTuple):
    """What `IsrChanges` needs of its broker."""

    node_id: NodeId
    versions: InterBrokerVersions
    registry: SharedRegistry
    timers: Timers
    clock: Clock
    broker_epoch: Callable[[], int]
    leading: Callable[[TopicPartition], LeaderRole | None]
    """The role of a partition that this broker leads."""
    state: Callable[[TopicPartition], PartitionState | None]
    ask_controller: Callable[[object, Callable[[object | KafkaError], None]], None]
    """Send an AlterPartition; the callback gets the response, or the error instead."""
    on_changed: Callable[[TopicPartition, PartitionState], None]


class IsrChanges:
    """The undecided proposals, at most one for each partition."""

    def __init__(self, ports: IsrPorts) -> None:
        self._ports = ports
        self._waiting: dict[TopicPartition, IsrProposal] = {}
        self._is_asking = False
        self._written: set[TopicPartition] = set()
        """The partitions of which the controller must be notified."""
        self._failing: ErrorCode = ErrorCode.NONE
        """The error of the last AlterPartition."""
        self._logged_at = 0.0

    def propose(self, partition: TopicPartition, proposal: IsrProposal) -> None:
        """Send a proposal, after the present event."""
        if not self._waiting:
            self._ports.timers.soon(self._send)
        self._waiting[partition] = proposal

    def _send(self) -> None:
        if self._is_asking:
            return
        waiting, self._waiting = self._waiting, {}
        self._is_asking = True
        if self._ports.versions.alter_partition >= 0:
            self._ask(waiting)
        else:
            self._write(waiting)

    def _send_next(self) -> None:
        self._is_asking = False
        if self._waiting:
            self._ports.timers.soon(self._send)

    # --- By the znode -------------------------------------------------------------------------

    def _write(self, proposals: Mapping[TopicPartition, IsrProposal]) -> None:
        registry, rows = self._ports.registry, {}
        for partition, proposal in proposals.items():
            known = self._ports.state(partition)
            if known is not None and self._role(partition, proposal) is not None:
                rows[partition] = proposal, known

        def work() -> dict[TopicPartition, PartitionState | ErrorCode]:
            return {one: _write_one(registry, one, *row) for one, row in rows.items()}

        def done(outcome: Mapping[TopicPartition, PartitionState | ErrorCode] | Exception) -> None:
            if isinstance(outcome, Exception):
                if isinstance(
                    outcome, StorageError
                ):  # The connection was lost before the response.
                    log.warning("ISRs not written", extra={"error": outcome})
                else:
                    log.error("ISRs not written", exc_info=outcome)
                outcome = dict.fromkeys(rows, ErrorCode.NETWORK_EXCEPTION)
            for partition, found in outcome.items():
                self._written_one(partition, rows[partition][0], found)
            self._send_next()

        registry.later(work, done)

    def _written_one(
        self, partition: TopicPartition, proposal: IsrProposal, found: PartitionState | ErrorCode
    ) -> None:
        """Take the node's state. Meanwhile the controller may have started another leader epoch."""
        role, known = self._role(partition, proposal), self._ports.state(partition)
        if not isinstance(found, ErrorCode) and found.isr == tuple(one for one, _ in proposal.isr):
            # The ISR was written, even if another broker leads by now.
            if not self._written:
                self._ports.timers.after(_NOTIFY_SECONDS, self._notify)
            self._written.add(partition)
        if role is None or known is None:
            return
        if isinstance(found, ErrorCode):
            role.refuse_isr(proposal.partition_epoch, found)
        elif known.partition_epoch <= found.partition_epoch:
            now = replace(known, isr=found.isr, recovering=found.recovering)
            self._take(partition, role, replace(now, partition_epoch=found.partition_epoch))

    def _notify(self) -> None:
        reported = sorted(self._written)
        rows = [one._asdict() for one in reported]
        data = json.dumps({"version": 1, "partitions": rows}, separators=(",", ":")).encode()
        registry, path = self._ports.registry, self._next_path()
        self._written.clear()

        def done(outcome: object) -> None:
            if not isinstance(outcome, Exception):
                return
            log.warning("ISR changes not reported to the controller", extra={"error": outcome})
            if not self._written:
                self._ports.timers.after(_NOTIFY_SECONDS, self._notify)
            self._written.update(reported)

        registry.later(lambda: registry.create(path, data), done)

    def _next_path(self) -> str:
        """A path that no other broker uses; Kafka's end with ZooKeeper's sequence numbers."""
        return f"{_NOTIFICATIONS}{self._ports.clock.time_ms():013}{self._ports.node_id:010}"

    # --- By the controller --------------------------------------------------------------------

    def _ask(self, proposals: Mapping[TopicPartition, IsrProposal]) -> None:
        ports = self._ports
        by_topic: dict[str, list[AlterPartitionRequestPartition]] = {}
        for (topic, index), proposal in proposals.items():
            row = AlterPartitionRequestPartition(
                partition_index=index,
                leader_epoch=proposal.leader_epoch,
                new_isr=[node_id for node_id, _ in proposal.isr],
                partition_epoch=proposal.partition_epoch,
            )
            by_topic.setdefault(topic, []).append(row)
        request = AlterPartitionRequest(
            broker_id=ports.node_id,
            broker_epoch=ports.broker_epoch(),
            topics=[
                AlterPartitionRequestTopic(topic_name=topic, partitions=rows)
                for topic, rows in by_topic.items()
            ],
        )

        def answered(response: object | KafkaError) -> None:
            self._decided(proposals, response)
            self._send_next()

        ports.ask_controller(request, answered)

    def _decided(
        self, proposals: Mapping[TopicPartition, IsrProposal], response: object | KafkaError
    ) -> None:
        rows: dict[TopicPartition, AlterPartitionResponsePartition] = {}
        error = ErrorCode.NETWORK_EXCEPTION
        if isinstance(response, AlterPartitionResponse):
            error = ErrorCode.of(response.error_code)
            rows = {
                TopicPartition(topic.topic_name, row.partition_index): row
                for topic in response.topics
                for row in topic.partitions
            }
        self._log(error, response)
        for partition, proposal in proposals.items():
            role = self._role(partition, proposal)
            if role is None:
                continue
            row, known = rows.get(partition), self._ports.state(partition)
            if error or row is None or known is None:
                role.refuse_isr(proposal.partition_epoch, error or ErrorCode.NETWORK_EXCEPTION)
            elif row.error_code:
                role.refuse_isr(proposal.partition_epoch, ErrorCode.of(row.error_code))
            else:
                isr, epoch = tuple(map(NodeId, row.isr)), row.partition_epoch
                self._take(partition, role, replace(known, isr=isr, partition_epoch=epoch))

    def _log(self, error: ErrorCode, response: object) -> None:
        """Log an error, but rarely while it lasts: leaders repeat proposals several times a second."""
        now = self._ports.clock.monotonic()
        if error and (error != self._failing or now - self._logged_at >= _REPEAT_SECONDS):
            log.warning("ISR changes refused", extra={"error": error.name, "answer": response})
            self._logged_at = now
        elif self._failing and not error:
            log.info("ISR changes are accepted again")
        self._failing = error

    def _role(self, partition: TopicPartition, proposal: IsrProposal) -> LeaderRole | None:
        """The role of a partition, if it is still in the leader epoch of a proposal."""
        role = self._ports.leading(partition)
        if role is None or role.leader.leader_epoch != proposal.leader_epoch:
            return None
        return role

    def _take(self, partition: TopicPartition, role: LeaderRole, state: PartitionState) -> None:
        log.info("ISR changed", extra={**partition._asdict(), "isr": state.isr})
        self._ports.on_changed(partition, state)
        role.change(frozenset(state.isr), state.replicas, state.partition_epoch)


def _write_one(
    registry: SharedRegistry,
    partition: TopicPartition,
    proposal: IsrProposal,
    known: PartitionState,
) -> PartitionState | ErrorCode:
    """Write an ISR, unless the node has changed; return the node's state then, or the error."""
    path, isr = state_path(partition), tuple(node_id for node_id, _ in proposal.isr)
    try:
        node = registry.get(path)
        found = decode_state(*node, known) if node is not None else None
        if found is None or found.leader_epoch != proposal.leader_epoch:
            return ErrorCode.FENCED_LEADER_EPOCH
        if found.partition_epoch != proposal.partition_epoch:
            # The controller wrote it, or this broker did and did not get the response.
            return found
        wanted = replace(found, isr=isr, recovering=False)
        return replace(
            wanted, partition_epoch=registry.set(path, encode_state(wanted), found.partition_epoch)
        )
    except RegistryConflict:
        return ErrorCode.NETWORK_EXCEPTION
    except StorageError as error:
        log.warning("ISR not written", extra={**partition._asdict(), "error": error})
        return ErrorCode.NETWORK_EXCEPTION
