"""ReplicationThrottles: limits a member's replication traffic (KIP-73)."""

import logging

from barnabas.config.broker import BrokerConfig
from barnabas.replication.throttle import ReplicationThrottle, throttled_partitions
from barnabas.types import NodeId, Topic

log = logging.getLogger(__name__)


class ReplicationThrottles:
    """The throttle of a broker as a leader, and that as a follower, by properties of broker and topics."""

    def __init__(self, config: BrokerConfig) -> None:
        """Throttle no partition yet."""
        self._node_id = NodeId(config.node_id)
        window = config.replication_quota_window_num, config.replication_quota_window_size_seconds
        self.leader = ReplicationThrottle(window[0], window[1] * 1000)
        self.follower = ReplicationThrottle(window[0], window[1] * 1000)
        self.adopt(config)

    def adopt(self, config: BrokerConfig) -> None:
        """Continue at these rates."""
        self.leader.rate = config.leader_replication_throttled_rate
        self.follower.rate = config.follower_replication_throttled_rate

    def take_topic(self, topic: Topic) -> None:
        """Throttle the replicas of a topic that its properties name."""
        for kind, throttle in (("leader", self.leader), ("follower", self.follower)):
            name = f"{kind}.replication.throttled.replicas"
            try:
                found = throttled_partitions(topic.config.get(name, ""), self._node_id)
            except ValueError as error:
                # ZooKeeper takes whatever a tool writes.
                fields = {"topic": topic.name, "property": name, "error": error}
                log.warning("replicas are not throttled", extra=fields)
                found = frozenset()
            throttle.throttle(topic.name, found)

    def forget_topic(self, name: str) -> None:
        """A topic is deleted."""
        self.leader.throttle(name, frozenset())
        self.follower.throttle(name, frozenset())
