"""ReplicationThrottle: limits the copying of replicas that are not in sync.

A broker has two: for what it sends as a leader, for what it receives as a follower. A replica in sync
is never held up, or the throttle would throw it out of the ISR.

Source: KIP-73; Kafka's ReplicationQuotaManager and SimpleRate.
"""

from collections import deque

from barnabas.types import NodeId, TopicPartition

UNLIMITED = (1 << 63) - 1
EVERY_REPLICA = "*"


class ReplicationThrottle:
    """The bytes of throttled replicas over a window of time, against a rate.

    Bound: `samples` pairs of numbers are kept.
    """

    __slots__ = ("_bytes", "_sample_ms", "_samples", "_throttled", "rate")

    def __init__(self, samples: int = 11, sample_ms: int = 1000) -> None:
        """No limit yet. Kafka: `replication.quota.window.num` and `.size.seconds`."""
        self.rate = UNLIMITED
        """Bytes a second: `leader.` or `follower.replication.throttled.rate`."""
        self._samples = samples
        self._sample_ms = sample_ms
        self._bytes: deque[tuple[int, int]] = deque()
        """(start of the sample in ms, bytes in it), oldest first."""
        self._throttled: dict[str, frozenset[int] | None] = {}

    def throttle(self, topic: str, partitions: frozenset[int] | None) -> None:
        """Throttle these partitions of a topic, and no others of it; None: all."""
        if partitions is None or partitions:
            self._throttled[topic] = partitions
        else:
            self._throttled.pop(topic, None)

    def is_throttled(self, partition: TopicPartition) -> bool:
        """Whether the partition is one of those."""
        numbers = self._throttled.get(partition.topic, frozenset())
        return numbers is None or partition.partition in numbers

    def record(self, partition: TopicPartition, size: int, now_ms: int) -> None:
        """Count `size` bytes, if the partition is throttled."""
        if not self.is_throttled(partition):
            return
        self._forget(now_ms)
        if self._bytes and now_ms - self._bytes[-1][0] < self._sample_ms:
            start, known = self._bytes.pop()
            self._bytes.append((start, known + size))
        else:
            self._bytes.append((now_ms, size))

    def must_wait(self, partition: TopicPartition, now_ms: int, *, is_in_sync: bool) -> bool:
        """Whether a replica of the partition gets nothing for now."""
        if is_in_sync or not self.is_throttled(partition):
            return False
        return self.bytes_per_second(now_ms) > self.rate

    def bytes_per_second(self, now_ms: int) -> float:
        """The rate since the oldest sample, over one sample's time at least."""
        self._forget(now_ms)
        if not self._bytes:
            return 0.0
        elapsed = max(now_ms - self._bytes[0][0], self._sample_ms)
        return sum(size for _, size in self._bytes) * 1000 / elapsed

    def _forget(self, now_ms: int) -> None:
        oldest = now_ms - self._samples * self._sample_ms
        while self._bytes and self._bytes[0][0] <= oldest:
            self._bytes.popleft()


def throttled_partitions(text: str, node_id: NodeId) -> frozenset[int] | None:
    """The partitions of a topic that `node_id` throttles; None: all.

    `text` is the topic's `leader.` or `follower.replication.throttled.replicas`:
    "partition:broker,partition:broker", "*" for all, or empty.

    Raises:
        ValueError: it is none of these.
    """
    if text.strip() == EVERY_REPLICA:
        return None
    found = set()
    for pair in filter(None, (one.strip() for one in text.split(","))):
        number, colon, broker = pair.partition(":")
        if not (colon and number.isdecimal() and broker.isdecimal()):
            raise ValueError(f"{pair!r} in {text!r} should be partition:broker")
        if int(broker) == node_id:
            found.add(int(number))
    return frozenset(found)
