"""FailedLogs: reports failed logs to the controller.

A broker writes a node that names only itself; the controller then sends it a LeaderAndIsr, and the response
says which replicas are offline.

Source: Kafka's ReplicaManager.handleLogDirFailure and KafkaZkClient.propagateLogDirEvent.
"""

import json
import logging
from typing import Final

from barnabas.broker.replicas.replica_manager import ReplicaManager
from barnabas.ports import SharedRegistry
from barnabas.types import NodeId, TopicPartition

log = logging.getLogger(__name__)

_EVENTS: Final = "/log_dir_event_notification/log_dir_event_"
_FAILED: Final = 1
"""The only event that Kafka knows: a log directory has failed."""


class FailedLogs:
    """The failed logs of this broker, and which of them were reported."""

    def __init__(self, node_id: NodeId, registry: SharedRegistry, replicas: ReplicaManager) -> None:
        self._registry, self._replicas = registry, replicas
        event = {"version": 1, "broker": node_id, "event": _FAILED}
        self._event = json.dumps(event, separators=(",", ":")).encode()
        self._reported: set[TopicPartition] = set()

    def places(self) -> set[TopicPartition]:
        """The replicas whose logs have failed."""
        return {
            one.log.topic_partition
            for one in self._replicas.partitions()
            if one.log.failure is not None
        }

    def report(self) -> set[TopicPartition]:
        """Report logs that have failed since the last call, and return them. A failed report is repeated."""
        failed = self.places()
        new = failed - self._reported
        self._reported = failed
        if new:
            log.error("logs have failed", extra={"partitions": sorted(new)})
            registry, event = self._registry, self._event

            def done(outcome: object) -> None:
                if isinstance(outcome, Exception):
                    log.warning("failed logs not reported", extra={"error": outcome})
                    self._reported -= new

            registry.later(lambda: registry.create_sequential(_EVENTS, event), done)
        return new
