"""The differences from Apache Kafka 4.3 that are meant, each with its reason."""

from tests.interop.differential.unserved import unserved
from tests.interop.differential.verdict import Difference


def _properties(path: str) -> tuple[Difference, ...]:
    """What differs wherever all properties of a topic are described."""
    return (
        Difference(
            "*",
            f"{path}.min.insync.replicas.*",
            "Kafka sets it for the whole cluster when it formats one with eligible leader replicas",
        ),
    )


def _of_the_cluster(label: str) -> tuple[Difference, ...]:
    """What differs of the properties that are set for all brokers: the same one."""
    path = "results[[]0].configs.min.insync.replicas"
    return (Difference(label, path, "as elsewhere", ours="absent"),)


def _broker_properties() -> tuple[Difference, ...]:
    """What differs of all that a broker says of itself."""
    path = "results[[]0].configs"
    set_by_the_test = (
        "advertised.listeners", "controller.listener.names", "controller.quorum.bootstrap.servers",
        "group.initial.rebalance.delay.ms", "group.min.session.timeout.ms",
        "inter.broker.listener.name", "listener.security.protocol.map", "listeners", "log.dirs",
        "node.id", "offsets.topic.num.partitions", "offsets.topic.replication.factor",
        "process.roles", "share.coordinator.state.topic.*", "transaction.state.log.*",
    )  # fmt: skip
    of_a_start = (
        "listener.security.protocol.map", "listeners", "max.connection.creation.rate",
        "max.connections.per.ip.overrides", "principal.builder.class", "sasl.*", "ssl.*",
    )  # fmt: skip
    return (
        *_properties(path),
        *(
            Difference("*", f"{path}.{name}.read_only", "it can be set for a start only", ours=True)
            for name in of_a_start
        ),
        *(
            Difference("*", f"{path}.{name}.*", "the test's Kafka is configured with another one")
            for name in set_by_the_test
        ),
        Difference("*", f"{path}.log.dir.*", "not below the directory for temporary files"),
        Difference("*", f"{path}.queued.max.request.bytes.*", "memory has a bound by default"),
        *(
            Difference("*", f"{path}.{name}", "our own", "absent")
            for name in (
                "client.state.max.bytes",
                "cluster.member",
                "listener.dialect.map",
                "socket.request.max.memory.bytes",
                "topic.partition.count.map",
            )
        ),
    )


_IN_OTHER_UNITS = "the default is reported under the property's own name, and that has none"


_BETWEEN_BROKERS = "controllers and brokers go by it, and there is one node"

_ABORTED_LATER = Difference(
    "read: *",
    "responses[[]0].partitions[[]0].aborted_transactions",
    "Kafka's answer ends before the records of a later, aborted transaction",
    theirs=[],
)

EXPLAINED: dict[str, tuple[Difference, ...]] = {
    "outcomes": (_ABORTED_LATER,),
    "version_2": (_ABORTED_LATER,),
    "batches_of_transactions": (
        Difference("nothing at all", "", "Kafka never answers", "silent"),
        Difference("*no*, [12]", "*", "Kafka stumbles; INVALID_REQUEST is meant", -1, 42),
    ),
    "pending_offsets": (
        Difference(
            "* topic: listed one at the end",
            "groups",
            "a group that is left without offsets is gone at once; Kafka's when it looks for old ones",
            ours=[],
        ),
    ),
    "describe_quorum": (
        *(
            Difference("known, ?", f"topics[[]0].partitions[[]0].{path}", why)
            for path, why in {
                "*watermark": "changes of topics since the start are counted, no records",
                "*log_end_offset": "changes of topics since the start are counted, no records",
                "*_timestamp": "times are of now",
                "*replica_directory_id": "no directory has a log of metadata",
            }.items()
        ),
        Difference("known, 2", "nodes[[]0].listeners[[]0].name", "the broker's", "CONTROLLER"),
    ),
    "create_topics": (
        *_properties("topics[[]*].configs"),
        Difference(
            "*validated", "topics[[]0].topic_id", "no id for a topic that is not made", ours="no id"
        ),
    ),
    "describe_configs": (
        *_properties("results[[]*].configs"),
        *_of_the_cluster("all brokers"),
    ),
    "topic_properties": tuple(
        Difference(f"{value}, *", "*", "without a profile what older releases had is taken", 40, 0)
        for value in (
            "message.downconversion.enable='false'",
            "message.format.version='0.*'",
            "message.timestamp.difference.max.ms='1000'",
        )
    ),
    "alter_configs": (
        *_properties("results[[]*].configs"),
        Difference("twice, *", "", "Kafka stumbles and never answers", "silent"),
    ),
    "incremental_alter_configs": (
        *_properties("results[[]*].configs"),
        Difference("unknown operation*", "*", "Kafka stumbles; INVALID_REQUEST is meant", -1, 42),
    ),
    "update_features": (Difference("* lowered", "*", "no level can be changed here", 0, 95),),
    "unknown_share_groups": (
        Difference("offsets of nameless: some, *", "groups[[]0].error_code", "Kafka stumbles", -1),
        Difference("offsets of nameless: some, *", "groups[[]0].topics", "Kafka stumbles", []),
    ),
    "by_expression": (
        Difference(
            "taken: (x{500}){3}",
            "*",
            "RE2 counts repeats within repeats, up to 1000 times in all; RE2/J each by itself",
            0,
            128,
        ),
    ),
    "metadata": (Difference("neither", "*", "Kafka stumbles over a topic without name and id"),),
    "produce": (
        Difference(
            "*",
            "*.log_start_offset",
            "returned with every refusal; clients read it with UNKNOWN_PRODUCER_ID only",
            -1,
            0,
        ),
        Difference("null records", "", "Kafka never answers", "silent"),
    ),
    "idempotence": (
        Difference("no epoch", "*.error_code", "refused before the producer is looked up", 47, 87),
    ),
    "fetch": (
        Difference("*", "*.aborted_transactions", "null and empty say the same", [], None),
        Difference("empty name", "*.error_code", "no name is taken for an id", 3, 100),
    ),
    "fetch_sessions": (
        Difference("*", "*.aborted_transactions", "null and empty say the same", [], None),
    ),
    "list_offsets": (
        Difference(
            "twice in *", "topics[[]0].partitions", "each lookup is answered; Kafka refuses both"
        ),
    ),
    "client_metrics": (
        Difference("listed, 8", "config_resources", "loggers have no properties here", ours=[]),
        Difference("listed, all kinds", "", "loggers have no properties here"),
    ),
    "broker_configs": (
        Difference("unknown property*", "*.error_code", "misspelt names are refused", 0, 42),
        *_of_the_cluster("all at the end"),
        Difference("one", "*.log.retention.ms.synonyms", _IN_OTHER_UNITS),
        Difference("a topic", "*.retention.ms.synonyms", _IN_OTHER_UNITS),
    ),
    "every_broker_property": _broker_properties(),
    "api_versions": (
        *unserved("4.3"),
        *(
            Difference("*", f"{where}_features.{name}", _BETWEEN_BROKERS, ours="absent")
            for where in ("supported", "finalized")
            for name in ("eligible.leader.replicas.version", "kraft.version")
        ),
        Difference("*", "finalized_features_epoch", "levels never change", ours=0),
        Difference("*", "api_keys.18.max_version", "version 5 is newer than 4.3", 4, 5),
        Difference("*", "api_keys.1.min_version", "Fetch of 0.8 to 0.10 is served", 4, 0),
        Difference("*", "api_keys.2.min_version", "ListOffsets of 0.8 is served", 1, 0),
        Difference("*", "api_keys.8.min_version", "OffsetCommit of 0.8 is served", 2, 0),
        Difference("*", "api_keys.9.min_version", "OffsetFetch of 0.8 is served", 1, 0),
        Difference("*", "api_keys.34.min_version", "AlterReplicaLogDirs of 1.0 is served", 1, 0),
        Difference("*", "api_keys.35.min_version", "DescribeLogDirs of 1.0 is served", 1, 0),
        *(
            Difference("*", f"api_keys.{key}.min_version", "of 0.11 and 1.1: served", 1, 0)
            for key in (29, 30, 31, 38, 39, 40, 41)
        ),
        Difference("*", "api_keys.22.max_version", "4.3 holds version 6 for unstable", 5, 6),
        Difference("*", "api_keys.28.max_version", "version 6 is newer than 4.3", 5, 6),
        Difference("*", "api_keys.27.min_version", "WriteTxnMarkers of 0.11 is served", 1, 0),
        Difference("*", "api_keys.42.max_version", "version 3 is newer than 4.3", 2, 3),
        Difference("*", "api_keys.19.min_version", "CreateTopics of 0.10 is served", 2, 0),
        Difference("*", "api_keys.20.min_version", "DeleteTopics of 0.10 is served", 1, 0),
        Difference("*", "api_keys.23.min_version", "epochs of 0.11 are served", 2, 0),
        Difference("*", "api_keys.32.min_version", "DescribeConfigs of 0.11 is served", 1, 0),
        Difference("* of the past", "", "served, where Kafka 4 closes the connection", "closed"),
    ),
}
