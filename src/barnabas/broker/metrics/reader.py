"""MetricsReader: reads all metrics of a broker in short steps, between which clients are served."""

from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator, Sequence

from barnabas.broker.broker import Broker
from barnabas.broker.metrics.request_counts import RequestCounts
from barnabas.broker.replicas.partition import Partition
from barnabas.broker.requests.partition_view import view
from barnabas.coordinators.offsets.offsets import OffsetsShard
from barnabas.errors import BrokerError
from barnabas.protocol.api_keys import ApiKey
from barnabas.types import TopicPartition

Labels = tuple[str, ...]
Rows = dict[str, list[tuple[Labels, float]]]
"""By the name of a metric: labels and value. A summary has rows of its `_count` and of its `_sum`."""
Reading = Generator[None, None, Rows]

_AT_ONCE = 200
"""Partitions or offsets that are read in one step: a fraction of a millisecond."""
_MOST_ROWS = 20_000
"""Partitions, and offsets of groups, that have rows of their own. More would take a scraper minutes."""
_LONGEST_NAME = 255
"""Characters of a group that has rows. One of 32,767 in 20,000 rows would be a page of 1 GB."""
_RUNNING = 3
_API_NAMES = {int(api): api.name.title().replace("_", "") for api in ApiKey}


class MetricsReader:
    """Reads the metrics of one broker. For the thread of its loop."""

    def __init__(self, counts: RequestCounts) -> None:
        self._counts = counts
        self._ends: dict[TopicPartition, tuple[bytes, int]] = {}

    def begin(self, broker: Broker) -> None:
        """Count as appended what comes from now on."""
        self._ends = {
            log.topic_partition: (log.topic_id, log.end_offset) for log in broker.logs.logs()
        }

    def read(self, broker: Broker) -> Reading:
        """Read everything; the value of the generator, which yields between two steps."""
        rows: Rows = defaultdict(list)
        self._read_requests(rows)
        yield from self._read_partitions(rows, broker)
        yield from _read_topics(rows, broker)
        yield from _read_groups(rows, broker)
        return rows

    def _read_requests(self, rows: Rows) -> None:
        counts = self._counts
        network = "kafka_network_requestmetrics"
        for key, name in _API_NAMES.items():
            received = counts.received(key)
            if received.requests:
                labels = (name,)
                rows[f"{network}_requests"].append((labels, received.requests))
                rows[f"{network}_requestbytes"].append((labels, received.bytes))
                rows[f"{network}_responsebytes"].append((labels, counts.sent_bytes[key]))
                rows[f"{network}_localtimems_count"].append((labels, received.timed))
                rows[f"{network}_localtimems_sum"].append((labels, 1000 * received.seconds))
        fetched = counts.sent_bytes[ApiKey.FETCH]
        rows["kafka_server_brokertopicmetrics_bytesout"].append(((), fetched))
        rows["kafka_server_socketservermetrics_connection_count"].append(((), counts.connections))
        rows["kafka_server_kafkaserver_brokerstate"].append(((), _RUNNING))

    def _read_partitions(self, rows: Rows, broker: Broker) -> Generator[None, None, None]:
        records: dict[str, int] = defaultdict(int)
        size: dict[str, int] = defaultdict(int)
        led = under_replicated = offline = 0
        partitions = list(broker.replicas.partitions())
        for number, partition in enumerate(partitions):
            if number and not number % _AT_ONCE:
                yield
            log = partition.log
            topic = log.topic_partition.topic
            records[topic] += self._appended(partition)
            size[topic] += partition.written_bytes
            led += partition.role is None or partition.role.leads
            offline += log.failure is not None
            under_replicated += _is_under_replicated(broker, partition)
            if number < _MOST_ROWS and log.failure is None:
                _read_log(rows, partition)
        topics = "kafka_server_brokertopicmetrics"
        rows[f"{topics}_messagesin"] = [((topic,), count) for topic, count in records.items()]
        rows[f"{topics}_bytesin"] = [((topic,), count) for topic, count in size.items()]
        replicas = "kafka_server_replicamanager"
        rows[f"{replicas}_partitioncount"] = [((), len(partitions))]
        rows[f"{replicas}_leadercount"] = [((), led - offline)]
        rows[f"{replicas}_underreplicatedpartitions"] = [((), under_replicated)]
        rows[f"{replicas}_offlinereplicacount"] = [((), offline)]
        omitted = max(0, len(partitions) - _MOST_ROWS)
        rows["barnabas_metrics_partitions_omitted"] = [((), omitted)]

    def _appended(self, partition: Partition) -> int:
        log = partition.log
        topic_id, end = self._ends.get(log.topic_partition, (b"", 0))
        return max(0, log.end_offset - (end if topic_id == log.topic_id else 0))


def _is_under_replicated(broker: Broker, partition: Partition) -> bool:
    if broker.member is None or partition.role is None or not partition.role.leads:
        return False
    described = view(broker, *partition.log.topic_partition)
    return len(described.in_sync) < len(described.replicas)


def _read_topics(rows: Rows, broker: Broker) -> Generator[None, None, None]:
    """What the controller knows, and the brokers know of it."""
    controller = "kafka_controller_kafkacontroller"
    is_active = broker.member is None or broker.member.controller.is_active
    rows[f"{controller}_activecontrollercount"] = [((), is_active)]
    rows[f"{controller}_globaltopiccount"] = [((), len(broker.topics))]
    for number, topic in enumerate(list(broker.topics)[:_MOST_ROWS], 1):
        rows["kafka_topic_partitions"].append(((topic.name,), len(topic.partitions)))
        if not number % _AT_ONCE:
            yield


def _read_groups(rows: Rows, broker: Broker) -> Generator[None, None, None]:
    """Of all groups that this broker coordinates; what is loaded for that stays loaded, as for a client.

    A group that nobody asked for since the start may be that of a consumer that is gone: its lag matters most.
    """
    left = _MOST_ROWS
    members = rows["kafka_consumergroup_members"]
    for index in [*broker.groups.indexes()]:
        try:
            shard = (yield from broker.groups.at_in_steps(index)).shard
        except BrokerError:
            # It cannot be loaded, which was logged, or is not loaded yet, or another broker leads it now.
            continue
        for number, group in enumerate(tuple(shard.groups())):
            if number and not number % _AT_ONCE:
                yield
            if len(members) < _MOST_ROWS and len(group.group_id) <= _LONGEST_NAME:
                members.append(((group.group_id,), len(group.members)))
        for group_id, some in _some_by_some(shard.offsets):
            yield
            if left <= 0:
                break
            positions = some[:left]
            left -= len(positions)
            committed = [
                (position, offset.offset)
                for position, offset in zip(
                    positions, shard.offsets.fetch(group_id, positions), strict=True
                )
                if offset is not None
            ]
            _read_offsets(rows, broker, group_id, committed)
    sums: dict[Labels, float] = defaultdict(float)
    for labels, lag in rows["kafka_consumergroup_lag"]:
        sums[labels[:1]] += lag
    rows["kafka_consumergroup_lag_sum"] = list(sums.items())


def _some_by_some(offsets: OffsetsShard) -> Iterator[tuple[str, Sequence[TopicPartition]]]:
    """What groups have committed, at most so many partitions at a time; none of those without rows."""
    for number, group_id in enumerate(offsets.groups(), 1):
        positions = offsets.positions(group_id) if len(group_id) <= _LONGEST_NAME else ()
        for first in range(0, len(positions), _AT_ONCE):
            yield group_id, positions[first : first + _AT_ONCE]
        if not number % _AT_ONCE:
            yield group_id, ()


def _read_offsets(
    rows: Rows, broker: Broker, group_id: str, committed: Iterable[tuple[TopicPartition, int]]
) -> None:
    for (topic, index), offset in committed:
        labels = (group_id, topic, str(index))
        rows["kafka_consumergroup_current_offset"].append((labels, offset))
        partition = broker.replicas.find(topic, index)
        if partition is not None and partition.log.failure is None:
            lag = max(0, partition.log.high_watermark - offset)
            rows["kafka_consumergroup_lag"].append((labels, lag))


def _read_log(rows: Rows, partition: Partition) -> None:
    log = partition.log
    topic, index = log.topic_partition
    labels = (topic, str(index))
    rows["kafka_log_log_size"].append((labels, log.size))
    rows["kafka_log_log_logstartoffset"].append((labels, log.start_offset))
    rows["kafka_log_log_logendoffset"].append((labels, log.end_offset))
    rows["kafka_log_log_numlogsegments"].append((labels, len(log.segments)))
    if partition.role is None or partition.role.leads:
        topics = "kafka_topic_partition"
        rows[f"{topics}_oldest_offset"].append((labels, log.start_offset))
        rows[f"{topics}_current_offset"].append((labels, log.high_watermark))
