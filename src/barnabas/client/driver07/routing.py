"""Routing: the partitions and brokers for a topic's messages, from ZooKeeper's current state.

Source: seed 000 "Producer", "Creating New Topics".
"""

import threading
from typing import NamedTuple

from barnabas.client.driver07.assignment import BrokerPartition
from barnabas.client.driver07.cluster import (
    IDS,
    TOPICS,
    Address,
    number,
    parse_broker,
    read_brokers,
    read_partitions,
)
from barnabas.dialects.kafka07.messages import ANY_PARTITION
from barnabas.errors import ConfigError
from barnabas.ports import SharedRegistry


class Destination(NamedTuple):
    """One partition, and its broker's address."""

    place: BrokerPartition
    address: Address


class WatchedRouting:
    """Reads a topic's partitions on first use, and again after a watch reports a change.

    The registry's callbacks may run on any thread: they only mark what must be read again.
    """

    def __init__(self, registry: SharedRegistry) -> None:
        self._registry = registry
        self._brokers: dict[int, Address] | None = None
        self._topics: dict[str, list[Destination]] = {}
        self._watched: set[str] = set()
        self._notified = 0
        """The number of notifications: results read before the last one are not cached."""
        self._keeping = threading.Lock()
        registry.watch(IDS, self.forget)

    def destinations(self, topic: str) -> list[Destination]:
        """Return all destinations, by broker number, then partition.

        A broker that has not registered the topic yet has a partition 0 nevertheless. With the
        first message it registers how many there are.

        Raises:
            RegistryUnavailable: the registry does not respond, and the topic is unknown.
        """
        found = self._topics.get(topic)
        if found is None:
            if topic not in self._watched:
                self._watched.add(topic)
                self._registry.watch(f"{TOPICS}/{topic}", lambda: self._forget_topic(topic))
            notified, brokers = self._notified, self._brokers
            if brokers is None:
                brokers = read_brokers(self._registry)
            found = self._read(topic, brokers)
            with self._keeping:
                if notified == self._notified:
                    self._brokers = brokers
                    self._topics[topic] = found
        return found

    def forget(self) -> None:
        """Read everything again."""
        with self._keeping:
            self._notified += 1
            self._brokers = None
            self._topics = {}

    def close(self) -> None:
        """Close the session."""
        self._registry.close()

    def _forget_topic(self, topic: str) -> None:
        with self._keeping:
            self._notified += 1
            self._topics.pop(topic, None)

    def _read(self, topic: str, brokers: dict[int, Address]) -> list[Destination]:
        places = read_partitions(self._registry, topic)
        registered = {place.broker for place in places}
        places += [BrokerPartition(broker, 0) for broker in brokers.keys() - registered]
        return [
            Destination(place, brokers[place.broker])
            for place in sorted(places)
            if place.broker in brokers
        ]


class ListedRouting:
    """Listed brokers; each chooses one of its partitions at random."""

    def __init__(self, brokers: str) -> None:
        """`brokers`: id:host:port, more of them separated by commas.

        Raises:
            ConfigError: it is malformed.
        """
        self._destinations = []
        for text in brokers.split(","):
            address = parse_broker(text.strip().encode())
            broker = number(text.partition(":")[0].strip())
            if address is None or broker is None:
                raise ConfigError(f"broker.list={brokers}: expected id:host:port,...")
            place = BrokerPartition(broker, ANY_PARTITION)
            self._destinations.append(Destination(place, address))

    def destinations(self, _topic: str) -> list[Destination]:
        """The same for every topic."""
        return self._destinations

    def forget(self) -> None:
        """Do nothing: the list is fixed."""

    def close(self) -> None:
        """Do nothing: nothing is open."""


Routing = WatchedRouting | ListedRouting
