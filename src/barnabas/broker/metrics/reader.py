"""MetricsReader: reads all metrics of a broker in short steps, between which clients are served."""

from collections import defaultdict
from collections.abc import Generator

from barnabas.broker.broker import Broker
from barnabas.broker.metrics.group_rows import read_groups
from barnabas.broker.metrics.partition_rows import is_under_replicated, read_partition
from barnabas.broker.metrics.request_counts import RequestCounts
from barnabas.broker.metrics.request_rows import TopicRequests, read_requests
from barnabas.broker.metrics.rows import AT_ONCE, MOST_ROWS, Reading, Rows
from barnabas.broker.metrics.topic_counts import NO_TOPIC
from barnabas.broker.replicas.partition import Partition
from barnabas.types import TopicPartition

_RUNNING = 3
_TURN_S = 60.0


class MetricsReader:
    """Reads the metrics of one broker. For the thread of its loop."""

    def __init__(self, counts: RequestCounts) -> None:
        self._counts = counts
        self._ends: dict[TopicPartition, tuple[bytes, int]] = {}
        self._next_turn = 0.0
        self._topics = TopicRequests()
        self._whole = {"messagesin": _Whole(), "bytesin": _Whole()}

    def _turn(self, broker: Broker) -> None:
        """Percentiles are those of the last minute or two, also where many scrape."""
        now = broker.clock.monotonic()
        if now >= self._next_turn:
            self._next_turn = now + _TURN_S
            for times in self._counts.times.values():
                times.turn()

    def begin(self, broker: Broker) -> None:
        """Count as appended what comes from now on."""
        self._ends = {
            log.topic_partition: (log.topic_id, log.end_offset) for log in broker.logs.logs()
        }

    def read(self, broker: Broker) -> Reading:
        """Read everything; the value of the generator, which yields between two steps."""
        rows: Rows = defaultdict(list)
        self._turn(broker)
        read_requests(rows, self._counts)
        self._topics.read(rows, broker, self._counts.topics)
        rows["kafka_server_kafkaserver_brokerstate"].append(((), _RUNNING))
        yield from self._read_partitions(rows, broker)
        yield from _read_topics(rows, broker)
        yield from read_groups(rows, broker)
        return rows

    def _read_partitions(self, rows: Rows, broker: Broker) -> Generator[None, None, None]:
        records: dict[str, int] = defaultdict(int)
        size: dict[str, int] = defaultdict(int)
        led = under_replicated = offline = 0
        partitions = list(broker.replicas.partitions())
        for number, partition in enumerate(partitions):
            if number and not number % AT_ONCE:
                yield
            log = partition.log
            topic = log.topic_partition.topic
            records[topic] += self._appended(partition)
            size[topic] += partition.written_bytes
            led += partition.role is None or partition.role.leads
            offline += log.failure is not None
            under_replicated += is_under_replicated(broker, partition)
            if number < MOST_ROWS and log.failure is None:
                read_partition(rows, broker, partition)
        topics = "kafka_server_brokertopicmetrics"
        for name, by_topic in (("messagesin", records), ("bytesin", size)):
            whole = ((NO_TOPIC,), self._whole[name].add(by_topic))
            by_name = [((topic,), count) for topic, count in by_topic.items()]
            rows[f"{topics}_{name}"] = [whole, *by_name]
        replicas = "kafka_server_replicamanager"
        rows[f"{replicas}_partitioncount"] = [((), len(partitions))]
        rows[f"{replicas}_leadercount"] = [((), led - offline)]
        rows[f"{replicas}_underreplicatedpartitions"] = [((), under_replicated)]
        rows[f"{replicas}_offlinereplicacount"] = [((), offline)]
        omitted = max(0, len(partitions) - MOST_ROWS)
        rows["barnabas_metrics_partitions_omitted"] = [((), omitted)]

    def _appended(self, partition: Partition) -> int:
        log = partition.log
        topic_id, end = self._ends.get(log.topic_partition, (b"", 0))
        return max(0, log.end_offset - (end if topic_id == log.topic_id else 0))


class _Whole:
    """The sum of a counter over all topics, in which those that are deleted stay: it never decreases."""

    def __init__(self) -> None:
        self._before: dict[str, int] = {}
        self._gone = 0

    def add(self, by_topic: dict[str, int]) -> int:
        """The sum, with what the topics have now."""
        for topic, count in self._before.items():
            if by_topic.get(topic, 0) < count:
                self._gone += count
        self._before = by_topic
        return self._gone + sum(by_topic.values())


def _read_topics(rows: Rows, broker: Broker) -> Generator[None, None, None]:
    """What the controller knows, and the brokers know of it."""
    controller = "kafka_controller_kafkacontroller"
    is_active = broker.member is None or broker.member.controller.is_active
    rows[f"{controller}_activecontrollercount"] = [((), is_active)]
    offline = yield from _offline_partitions(broker)
    rows[f"{controller}_offlinepartitionscount"] = [((), offline if is_active else 0)]
    rows[f"{controller}_globaltopiccount"] = [((), len(broker.topics))]
    for number, topic in enumerate(list(broker.topics)[:MOST_ROWS], 1):
        rows["kafka_topic_partitions"].append(((topic.name,), len(topic.partitions)))
        if not number % AT_ONCE:
            yield


def _offline_partitions(broker: Broker) -> Generator[None, None, int]:
    """Partitions of the cluster that have no leader."""
    if broker.member is None:
        return sum(one.log.failure is not None for one in broker.replicas.partitions())
    image, count = broker.member.image, 0
    for number, (_, state) in enumerate(image.partitions(), 1):
        count += state.leader not in image.brokers
        if not number % AT_ONCE:
            yield
    return count
