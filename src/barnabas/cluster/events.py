"""Events of a controller, from ZooKeeper and from requests of brokers and tools."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from barnabas.cluster.image import Broker
from barnabas.errors import ErrorCode
from barnabas.types import NodeId, TopicPartition


@dataclass(frozen=True, slots=True)
class Elected:
    """This broker is the controller now. The view is what the nodes say; no broker knows of it yet.

    `written` has the number of the change that wrote the state of each partition last (its mzxid). A broker
    whose epoch is higher was away since then, and no controller has seen that.
    """

    written: Mapping[TopicPartition, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BrokersChanged:
    """The brokers below /brokers/ids, all of them; their epochs are the nodes' czxid."""

    brokers: Mapping[NodeId, Broker]


@dataclass(frozen=True, slots=True)
class PartitionsAdded:
    """The node of a topic has partitions that the view does not have, with their replicas."""

    topic: str
    topic_id: bytes
    replicas: Mapping[int, tuple[NodeId, ...]]


@dataclass(frozen=True, slots=True)
class IsrProposed:
    """A leader asks for another ISR (AlterPartition). A broker epoch of -1 is not compared (KIP-903)."""

    node_id: NodeId
    broker_epoch: int
    partition: TopicPartition
    isr: tuple[tuple[NodeId, int], ...]
    leader_epoch: int
    partition_epoch: int


@dataclass(frozen=True, slots=True)
class IsrWritten:
    """Leaders have written an ISR to ZooKeeper themselves (below inter-broker version 2.7).

    /isr_change_notification names the partitions; their states are in the view already.
    """

    partitions: tuple[TopicPartition, ...]


@dataclass(frozen=True, slots=True)
class PreferredElection:
    """The first replicas of these partitions are to lead them."""

    partitions: tuple[TopicPartition, ...]


@dataclass(frozen=True, slots=True)
class UncleanElection:
    """Partitions without a leader are to get one, even if it lacks committed records."""

    partitions: tuple[TopicPartition, ...]


@dataclass(frozen=True, slots=True)
class ShutdownAsked:
    """A broker wants to stop (ControlledShutdown)."""

    node_id: NodeId
    broker_epoch: int


@dataclass(frozen=True, slots=True)
class Reassigned:
    """Partitions are to have these replicas; None: what is under way is cancelled (KIP-455)."""

    targets: Mapping[TopicPartition, tuple[NodeId, ...] | None]


@dataclass(frozen=True, slots=True)
class DeletionAsked:
    """A topic is to be deleted."""

    topic: str


@dataclass(frozen=True, slots=True)
class ReplicasDeleted:
    """A broker has answered a StopReplica that deletes, with an error for each replica."""

    node_id: NodeId
    errors: Mapping[TopicPartition, ErrorCode]


@dataclass(frozen=True, slots=True)
class ReplicasFailed:
    """Log directories of a broker have failed, with these replicas (KIP-112)."""

    node_id: NodeId
    partitions: tuple[TopicPartition, ...]


@dataclass(frozen=True, slots=True)
class ReplicasAsked:
    """A broker is to say which of its replicas it can use: a log directory may have failed."""

    node_id: NodeId


PartitionEvent = (
    PartitionsAdded
    | IsrProposed
    | IsrWritten
    | PreferredElection
    | UncleanElection
    | Reassigned
    | DeletionAsked
    | ReplicasDeleted
    | ReplicasFailed
)
ControllerEvent = Elected | BrokersChanged | ShutdownAsked | ReplicasAsked | PartitionEvent
