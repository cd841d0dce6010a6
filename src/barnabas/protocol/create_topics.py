"""CreateTopics (key 19): create topics with partitions, replicas and configuration.

Versions: 1 validate only, messages · 2 throttle time · 4 broker defaults as -1 (KIP-464) · 5
    flexible, what was created (KIP-525) · 6 throttling error (KIP-599) · 7 topic ids
"""

from __future__ import annotations

from barnabas.wire.schema import (
    NO_UUID,
    Array,
    Bool,
    Int8,
    Int16,
    Int32,
    String,
    Uuid,
    message,
    on,
    struct,
)


@message(key=19, versions="0-7", flexible="5+")
class CreateTopicsRequest:
    """Create these topics, or only say whether one could."""

    topics: Array[CreatableTopic]
    timeout_ms: Int32 = on(default=60000)
    validate_only: Bool = on("1+", default=False)


@struct
class CreatableTopic:
    """One topic.

    Counts are -1 where `assignments` say it all, since version 4 also for the defaults.
    """

    name: String
    num_partitions: Int32
    replication_factor: Int16
    assignments: Array[CreatableReplicaAssignment]
    configs: Array[CreatableTopicConfig]


@struct
class CreatableReplicaAssignment:
    """The brokers of one partition, the preferred leader first."""

    partition_index: Int32
    broker_ids: Array[Int32]


@struct
class CreatableTopicConfig:
    """One property of the topic."""

    name: String
    value: String | None


@message(key=19, versions="0-7", flexible="5+")
class CreateTopicsResponse:
    """What became of each topic."""

    throttle_time_ms: Int32 = on("2+", default=0)
    topics: Array[CreatableTopicResult]


@struct
class CreatableTopicResult:
    """One topic: its partitions and properties, or why it was not created.

    `topic_config_error_code` says why the configuration is not described.
    """

    name: String
    topic_id: Uuid = on("7+", default=NO_UUID)
    error_code: Int16
    error_message: String | None = on("1+", default=None)
    topic_config_error_code: Int16 = on("5+", default=0, tag=0)
    num_partitions: Int32 = on("5+", default=-1)
    replication_factor: Int16 = on("5+", default=-1)
    configs: Array[CreatableTopicConfigs] | None = on("5+", default=None)


@struct
class CreatableTopicConfigs:
    """One property as it is in force; `config_source` as in DescribeConfigs."""

    name: String
    value: String | None
    read_only: Bool
    config_source: Int8 = on(default=-1)
    is_sensitive: Bool
