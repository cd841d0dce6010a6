"""Routing: to which partitions of which brokers a topic's messages can go, as ZooKeeper says now.

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
    """One partition, and where its broker is."""

    place: BrokerPartition
    address: Address


class WatchedRouting:
    """Reads a topic's partitions when they are first asked for, and again when a watch has told.

    The registry's callbacks may come on any thread: they only mark what is to be read again.
    """

    def __init__(self, registry: SharedRegistry) -> None:
        self._registry = registry
        self._brokers: dict[int, Address] | None = None
        self._topics: dict[str, list[Destination]] = {}
        self._watched: set[str] = set()
        self._told = 0
        """How often there was news: what was read before the last of it is not kept."""
        self._keeping = threading.Lock()
        registry.watch(IDS, self.forget)

    def destinations(self, topic: str) -> list[Destination]:
        """All there are, by number of broker, then of partition.

        A broker that is there and says nothing of the topic does not have it yet: its partition 0 is
        there in any case, and with the first message it tells how many there are.

        Raises:
            RegistryUnavailable: the registry does not answer, and nothing is known of the topic.
        """
        found = self._topics.get(topic)
        if found is None:
            if topic not in self._watched:
                self._watched.add(topic)
                self._registry.watch(f"{TOPICS}/{topic}", lambda: self._forget_topic(topic))
            told, brokers = self._told, self._brokers
            if brokers is None:
                brokers = read_brokers(self._registry)
            found = self._read(topic, brokers)
            with self._keeping:
                if told == self._told:
                    self._brokers = brokers
                    self._topics[topic] = found
        return found

    def forget(self) -> None:
        """Read everything again."""
        with self._keeping:
            self._told += 1
            self._brokers = None
            self._topics = {}

    def close(self) -> None:
        """End the session."""
        self._registry.close()

    def _forget_topic(self, topic: str) -> None:
        with self._keeping:
            self._told += 1
            self._topics.pop(topic, None)

    def _read(self, topic: str, brokers: dict[int, Address]) -> list[Destination]:
        places = read_partitions(self._registry, topic)
        told = {place.broker for place in places}
        places += [BrokerPartition(broker, 0) for broker in brokers.keys() - told]
        return [
            Destination(place, brokers[place.broker])
            for place in sorted(places)
            if place.broker in brokers
        ]


class ListedRouting:
    """Brokers that were listed; which of its partitions, each of them decides by chance."""

    def __init__(self, brokers: str) -> None:
        """`brokers`: id:host:port, more of them behind commas.

        Raises:
            ConfigError: it is something else.
        """
        self._destinations = []
        for text in brokers.split(","):
            address = parse_broker(text.strip().encode())
            broker = number(text.partition(":")[0].strip())
            if address is None or broker is None:
                raise ConfigError(f"broker.list={brokers}: it must look like id:host:port,...")
            place = BrokerPartition(broker, ANY_PARTITION)
            self._destinations.append(Destination(place, address))

    def destinations(self, _topic: str) -> list[Destination]:
        """The same for every topic."""
        return self._destinations

    def forget(self) -> None:
        """There is nothing else to know."""

    def close(self) -> None:
        """Nothing is open."""


Routing = WatchedRouting | ListedRouting
