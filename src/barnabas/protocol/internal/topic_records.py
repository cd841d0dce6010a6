"""Records of the metadata log about topics and their partitions (KIP-631).

Versions of partitions: 1 directories (KIP-858) · 2 replicas that may yet lead (KIP-966)
"""

from __future__ import annotations

from barnabas.wire.schema import Array, Int8, Int32, String, Uuid, message, on


@message(versions="0", flexible="0+")
class TopicRecord:
    """Type 2: a new topic."""

    name: String
    topic_id: Uuid


@message(versions="0-2", flexible="0+")
class PartitionRecord:
    """Type 3: a partition as a whole."""

    partition_id: Int32 = on(default=-1)
    topic_id: Uuid
    replicas: Array[Int32]
    isr: Array[Int32]
    removing_replicas: Array[Int32]
    adding_replicas: Array[Int32]
    leader: Int32 = on(default=-1)
    leader_recovery_state: Int8 = on(default=0, tag=0)
    leader_epoch: Int32 = on(default=-1)
    partition_epoch: Int32 = on(default=-1)
    directories: Array[Uuid] = on("1+", factory=list)
    eligible_leader_replicas: Array[Int32] | None = on("2+", default=None, tag=1)
    last_known_elr: Array[Int32] | None = on("2+", default=None, tag=2)


@message(versions="0-2", flexible="0+")
class PartitionChangeRecord:
    """Type 5: what changed of a partition; None and -2 (state: -1) mean nothing did."""

    partition_id: Int32 = on(default=-1)
    topic_id: Uuid
    isr: Array[Int32] | None = on(default=None, tag=0)
    leader: Int32 = on(default=-2, tag=1)
    replicas: Array[Int32] | None = on(default=None, tag=2)
    removing_replicas: Array[Int32] | None = on(default=None, tag=3)
    adding_replicas: Array[Int32] | None = on(default=None, tag=4)
    leader_recovery_state: Int8 = on(default=-1, tag=5)
    directories: Array[Uuid] | None = on("1+", default=None, tag=8)
    eligible_leader_replicas: Array[Int32] | None = on("2+", default=None, tag=6)
    last_known_elr: Array[Int32] | None = on("2+", default=None, tag=7)


@message(versions="0", flexible="0+")
class RemoveTopicRecord:
    """Type 9: the topic is gone, with its partitions."""

    topic_id: Uuid


@message(versions="0", flexible="0+")
class ClearElrRecord:
    """Type 28: forget which replicas may yet lead, of one topic or ("") of all."""

    topic_name: String
