"""Rows of one partition: its log, its offsets, and its replicas."""

from barnabas.broker.broker import Broker
from barnabas.broker.metrics.rows import Rows
from barnabas.broker.replicas.leader_role import LeaderRole
from barnabas.broker.replicas.partition import Partition
from barnabas.broker.requests.partition_view import DescribedPartition, view

_LOG = "kafka_log_log"
_TOPIC = "kafka_topic_partition"
_CLUSTER = "kafka_cluster_partition"


def read_partition(rows: Rows, broker: Broker, partition: Partition) -> None:
    """What there is of a partition whose log can be used; offsets and replicas are those of its leader."""
    log = partition.log
    topic, index = log.topic_partition
    labels = (topic, str(index))
    rows[f"{_LOG}_size"].append((labels, log.size))
    rows[f"{_LOG}_logstartoffset"].append((labels, log.start_offset))
    rows[f"{_LOG}_logendoffset"].append((labels, log.end_offset))
    rows[f"{_LOG}_numlogsegments"].append((labels, len(log.segments)))
    if partition.role is None or partition.role.leads:
        rows[f"{_TOPIC}_oldest_offset"].append((labels, log.start_offset))
        rows[f"{_TOPIC}_current_offset"].append((labels, log.high_watermark))
        described = view(broker, topic, index)
        replicas, in_sync = len(described.replicas), len(described.in_sync)
        role = partition.role
        least = role.leader.min_isr if isinstance(role, LeaderRole) else 1
        rows[f"{_TOPIC}_replicas"].append((labels, replicas))
        rows[f"{_TOPIC}_in_sync_replica"].append((labels, in_sync))
        rows[f"{_TOPIC}_under_replicated_partition"].append((labels, in_sync < replicas))
        rows[f"{_TOPIC}_leader_is_preferred"].append((labels, _is_preferred(described)))
        rows[f"{_CLUSTER}_atminisr"].append((labels, in_sync == least))
        rows[f"{_CLUSTER}_underminisr"].append((labels, in_sync < least))


def is_under_replicated(broker: Broker, partition: Partition) -> bool:
    """Whether this broker leads it, and has fewer in sync than there are replicas."""
    if broker.member is None or partition.role is None or not partition.role.leads:
        return False
    described = view(broker, *partition.log.topic_partition)
    return len(described.in_sync) < len(described.replicas)


def _is_preferred(described: DescribedPartition) -> bool:
    return described.replicas[:1] == [described.leader]
