"""FAMILIES: the metrics that a broker has: names, kinds, labels, and what they say."""

from typing import NamedTuple

COUNTER, GAUGE, SUMMARY = "counter", "gauge", "summary"


class Family(NamedTuple):
    """One metric. A counter's name is without its `_total`; a summary has `_count`, and `_sum` or QUANTILES."""

    name: str
    kind: str
    labels: tuple[str, ...]
    text: str


QUANTILES = ("0.50", "0.75", "0.95", "0.98", "0.99", "0.999")
"""As JMX has them of Kafka, and the exporter's rules write them."""

_TOPIC = ("topic",)
_PARTITION = ("topic", "partition")
_GROUP = ("consumergroup",)
_OF_GROUP = (*_GROUP, *_PARTITION)
_REQUEST = ("request",)

FAMILIES = (
    Family(
        "kafka_server_brokertopicmetrics_messagesin", COUNTER, _TOPIC,
        "Records appended since the start of the broker; without a topic: of all.",
    ),
    Family(
        "kafka_server_brokertopicmetrics_bytesin", COUNTER, _TOPIC,
        "Bytes of batches appended since the start of the broker; without a topic: of all.",
    ),
    Family(
        "kafka_server_brokertopicmetrics_bytesout", COUNTER, _TOPIC,
        "Bytes of records in responses to consumers; without a topic: of all.",
    ),
    Family(
        "kafka_server_brokertopicmetrics_totalproducerequests", COUNTER, _TOPIC,
        "Produce requests, one for each of their partitions; without a topic: of all.",
    ),
    Family(
        "kafka_server_brokertopicmetrics_failedproducerequests", COUNTER, _TOPIC,
        "The same, of partitions that were answered with an error.",
    ),
    Family(
        "kafka_server_brokertopicmetrics_totalfetchrequests", COUNTER, _TOPIC,
        "Fetch requests, one for each partition of their responses; without a topic: of all.",
    ),
    Family(
        "kafka_server_brokertopicmetrics_failedfetchrequests", COUNTER, _TOPIC,
        "The same, of partitions that were answered with an error.",
    ),
    Family(
        "kafka_network_requestmetrics_requests", COUNTER, _REQUEST,
        "Requests received.",
    ),
    Family(
        "kafka_network_requestmetrics_requestbytes", COUNTER, _REQUEST,
        "Bytes of requests received.",
    ),
    Family(
        "kafka_network_requestmetrics_responsebytes", COUNTER, _REQUEST,
        "Bytes of responses; those to requests that repeat earlier ones are not counted.",
    ),
    Family(
        "kafka_network_requestmetrics_localtimems", SUMMARY, _REQUEST,
        "Milliseconds of the broker's thread; requests that repeat earlier ones are not timed.",
    ),
    Family(
        "kafka_network_requestmetrics_totaltimems", SUMMARY, _REQUEST,
        "Milliseconds from a request to its response, with all waits: of the last minute or two, by a sample.",
    ),
    Family(
        "kafka_server_socket_server_metrics_connection_count", GAUGE, ("listener",),
        "Open connections of clients.",
    ),
    Family(
        "kafka_server_kafkaserver_brokerstate", GAUGE, (),
        "3: running.",
    ),
    Family(
        "kafka_server_replicamanager_partitioncount", GAUGE, (),
        "Partitions of this broker.",
    ),
    Family(
        "kafka_server_replicamanager_leadercount", GAUGE, (),
        "Partitions that this broker leads.",
    ),
    Family(
        "kafka_server_replicamanager_underreplicatedpartitions", GAUGE, (),
        "Partitions with fewer replicas in sync than they have.",
    ),
    Family(
        "kafka_server_replicamanager_offlinereplicacount", GAUGE, (),
        "Partitions whose log cannot be used.",
    ),
    Family(
        "kafka_controller_kafkacontroller_globaltopiccount", GAUGE, (),
        "Topics that this broker knows.",
    ),
    Family(
        "kafka_controller_kafkacontroller_activecontrollercount", GAUGE, (),
        "1 where this broker is the controller, as one that is alone is; 0 elsewhere.",
    ),
    Family(
        "kafka_controller_kafkacontroller_offlinepartitionscount", GAUGE, (),
        "Partitions without a leader, where this broker is the controller; 0 elsewhere.",
    ),
    Family(
        "kafka_topic_partitions", GAUGE, ("topic",),
        "Partitions of a topic.",
    ),
    Family(
        "kafka_topic_partition_oldest_offset", GAUGE, _PARTITION,
        "The first offset of a partition that this broker leads.",
    ),
    Family(
        "kafka_topic_partition_current_offset", GAUGE, _PARTITION,
        "The high watermark of a partition that this broker leads: consumers see the records before it.",
    ),
    Family(
        "kafka_topic_partition_replicas", GAUGE, _PARTITION,
        "Replicas of a partition that this broker leads.",
    ),
    Family(
        "kafka_topic_partition_in_sync_replica", GAUGE, _PARTITION,
        "Replicas in sync of a partition that this broker leads.",
    ),
    Family(
        "kafka_topic_partition_under_replicated_partition", GAUGE, _PARTITION,
        "1 where fewer replicas are in sync than there are.",
    ),
    Family(
        "kafka_topic_partition_leader_is_preferred", GAUGE, _PARTITION,
        "1 where the first replica leads.",
    ),
    Family(
        "kafka_cluster_partition_atminisr", GAUGE, _PARTITION,
        "1 where as many replicas are in sync as min.insync.replicas asks for.",
    ),
    Family(
        "kafka_cluster_partition_underminisr", GAUGE, _PARTITION,
        "1 where fewer are.",
    ),
    Family(
        "kafka_log_log_size", GAUGE, _PARTITION,
        "Bytes of a partition's log.",
    ),
    Family(
        "kafka_log_log_logstartoffset", GAUGE, _PARTITION,
        "The first offset of a partition.",
    ),
    Family(
        "kafka_log_log_logendoffset", GAUGE, _PARTITION,
        "The next offset of a partition.",
    ),
    Family(
        "kafka_log_log_numlogsegments", GAUGE, _PARTITION,
        "Segments of a partition's log.",
    ),
    Family(
        "kafka_consumergroup_members", GAUGE, _GROUP,
        "Members of a group with the classic protocol.",
    ),
    Family(
        "kafka_consumergroup_current_offset", GAUGE, _OF_GROUP,
        "The offset that a group has committed.",
    ),
    Family(
        "kafka_consumergroup_lag", GAUGE, _OF_GROUP,
        "Records after that offset.",
    ),
    Family(
        "kafka_consumergroup_lag_sum", GAUGE, _GROUP,
        "Records after a group's offsets, in all partitions.",
    ),
    Family(
        "barnabas_metrics_partitions_omitted", GAUGE, (),
        "Partitions that have no rows here: there are too many.",
    ),
)  # fmt: skip
"""In the order of the page. Sources: the rules of Prometheus' JMX exporter for Kafka; kafka_exporter."""
