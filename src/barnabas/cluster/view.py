"""View: the controller's knowledge of its cluster, and the decisions that change it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from barnabas.cluster.image import NO_LEADER, ClusterImage, PartitionState
from barnabas.cluster.replica_states import ReplicaPhase
from barnabas.cluster.requests import BrokerRequest
from barnabas.errors import ErrorCode
from barnabas.types import NodeId, NodeWrite, TopicPartition

Deletion = Mapping[tuple[int, NodeId], ReplicaPhase]
"""How far each replica of a topic is that is being deleted, by partition and broker."""


@dataclass(frozen=True, slots=True)
class View:
    """The image, and what only the controller needs to know. It is immutable, as the image is."""

    image: ClusterImage
    shutting_down: frozenset[NodeId] = frozenset()
    """Brokers that have asked to stop and are still there."""
    deletions: Mapping[str, Deletion] = field(default_factory=dict)
    """The topics that are being deleted."""
    unclean: Mapping[str, bool] = field(default_factory=dict)
    """`unclean.leader.election.enable` of the topics that have it as their own."""
    unclean_by_default: bool = False
    """The same of all other topics: the controller's own property."""
    listener: str = "PLAINTEXT"
    """`inter.broker.listener.name`."""

    def live(self, state: PartitionState) -> frozenset[NodeId]:
        """The replicas of a partition that may lead it."""
        return frozenset(self.image.live_replicas(state)) - self.shutting_down

    def allows_unclean(self, topic: str) -> bool:
        """Whether replicas that are not in sync may lead, where no other is left."""
        return self.unclean.get(topic, self.unclean_by_default)

    def lacks_leader(self, state: PartitionState) -> bool:
        """Whether the partition has no leader, or one that is not alive."""
        return state.leader == NO_LEADER or state.leader not in self.image.live_replicas(state)


@dataclass(frozen=True, slots=True)
class Decision:
    """What the caller must do, in this order.

    1. `writes`: write them to ZooKeeper, in multis that each check the version of /controller_epoch.
       If that is another one, resign, and forget the decision. If a node has another version, forget
       the decision, read the node into the view, and step with the same event again.
    2. `after`: the view from now on.
    3. `requests`: send them, those to one broker in their order.
    4. `errors`: respond to the request. Partitions that are not named were changed, or are as asked.
    """

    after: View
    writes: tuple[NodeWrite, ...] = ()
    requests: tuple[BrokerRequest, ...] = ()
    errors: Mapping[TopicPartition, ErrorCode] = field(default_factory=dict)
    error: ErrorCode = ErrorCode.NONE
    """Of the whole event; then nothing changes."""
    remaining: tuple[TopicPartition, ...] = ()
    """Of a broker that shuts down: the partitions that it still leads."""
