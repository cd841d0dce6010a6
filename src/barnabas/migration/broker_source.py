"""BrokerSource: a topic on running Kafka 0.7 brokers."""

from collections.abc import Mapping, Sequence

from barnabas.client.driver07.assignment import BrokerPartition
from barnabas.client.driver07.cluster import Address
from barnabas.client.driver07.simple_consumer import (
    EARLIEST,
    LATEST,
    FetchStart07,
    SimpleConsumer,
    check_code,
)
from barnabas.errors import BrokerError, ConfigError, ErrorCode
from barnabas.migration.errors import TopicNotThere

_MOST_SEGMENTS = 1 << 16
_MOST_PARTITIONS = 100_000


class BrokerSource:
    """`places` are the given ones, or the partitions that each broker reports."""

    def __init__(
        self,
        brokers: Mapping[int, Address],
        topic: str,
        places: Sequence[BrokerPartition] | None = None,
        *,
        may_be_empty: bool = False,
    ) -> None:
        """Connect as needed.

        Raises:
            ConfigError: a place is on a broker that was not named.
            TopicNotThere: no broker has data of the topic, unless it `may_be_empty`.
            ConnectionFailed, RequestTimeout: a broker is unavailable.
        """
        self._topic = topic
        self._consumers = {
            number: SimpleConsumer(address.host, address.port)
            for number, address in brokers.items()
        }
        needs_data = places is None and not may_be_empty
        if places is None:
            places = [
                BrokerPartition(number, partition)
                for number in sorted(brokers)
                for partition in range(self._partitions_of(number))
            ]
        missing = {place.broker for place in places} - brokers.keys()
        if missing:
            raise ConfigError(f"topic {topic}: broker {min(missing)} cannot be found")
        self.places = sorted(places)
        if needs_data and not any(self.bounds(place)[1] for place in self.places):
            # A fetch from a missing topic returns nothing, as from an empty one.
            raise TopicNotThere(
                f"topic {topic}: no broker has data of it, and 0.7 brokers do not list their "
                "topics (ZooKeeper does: --zookeeper)"
            )

    def bounds(self, place: BrokerPartition) -> tuple[int, int]:
        """The first and end offset, from OFFSETS requests of -2 and -1."""
        consumer = self._consumers[place.broker]
        first = consumer.offsets(self._topic, place.partition, EARLIEST)
        last = consumer.offsets(self._topic, place.partition, LATEST)
        return (first[0], last[0]) if first and last else (0, 0)

    def read(self, place: BrokerPartition, offset: int, size: int) -> memoryview:
        """Return the result of a fetch; empty if the offset is out of range.

        Raises:
            BrokerError: the broker refuses.
        """
        consumer = self._consumers[place.broker]
        (reply,) = consumer.multi_fetch([FetchStart07(self._topic, place.partition, offset, size)])
        if reply.error == ErrorCode.OFFSET_OUT_OF_RANGE:
            return memoryview(b"")
        check_code(reply.error)
        return reply.messages

    def next_start(self, place: BrokerPartition, offset: int) -> int:
        """The start of the next segment, from an OFFSETS request."""
        consumer = self._consumers[place.broker]
        found = consumer.offsets(self._topic, place.partition, LATEST, _MOST_SEGMENTS)
        return min((start for start in found if start > offset), default=self.bounds(place)[1])

    def close(self) -> None:
        """Close the connections."""
        for consumer in self._consumers.values():
            consumer.close()

    def _partitions_of(self, broker: int) -> int:
        """The number of partitions; no request returns it, but fetching from a missing one is refused."""
        for partition in range(_MOST_PARTITIONS):
            asked = FetchStart07(self._topic, partition, 0, 1)
            (reply,) = self._consumers[broker].multi_fetch([asked])
            if reply.error == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
                return partition
            if reply.error not in (ErrorCode.NONE, ErrorCode.OFFSET_OUT_OF_RANGE):
                raise BrokerError(reply.error, f"{self._topic}-{partition}")
        return _MOST_PARTITIONS
