"""What 0.7's brokers say of themselves in ZooKeeper: where they are, which partitions they have. Reads.

Source: seed 000 "Kafka Broker"; Kafka 0.7.2's ZkUtils.
"""

import logging
from typing import NamedTuple

from barnabas.client.driver07.assignment import BrokerPartition
from barnabas.ports import Registry

log = logging.getLogger(__name__)

IDS = "/brokers/ids"
TOPICS = "/brokers/topics"

_MOST_PARTITIONS = 100_000
_HIGHEST_PORT = 65535
_HIGHEST_BROKER = 2**31 - 1
_MOST_DIGITS = 20


class Address(NamedTuple):
    """Where a broker listens."""

    host: str
    port: int


def parse_broker(data: bytes) -> Address | None:
    """The place in `creator:host:port`; None where it is none. The creator may be anything.

    Always split at ":" and take the second element and the third (seed 000); Jafka adds a fourth.
    """
    parts = data.decode("utf-8", "replace").split(":")
    port = number(parts[2], _HIGHEST_PORT) if len(parts) >= 3 else None
    return None if port is None or not parts[1] else Address(parts[1], port)


def number(text: str, most: int = _HIGHEST_BROKER) -> int | None:
    """The number that a text's digits are, if it is one up to `most`."""
    # Python converts no more than some thousand digits.
    if not text.isdecimal() or len(text) > _MOST_DIGITS:
        return None
    found = int(text)
    return found if found <= most else None


def read_brokers(registry: Registry) -> dict[int, Address]:
    """All brokers that can be understood, by id; what else there is, is told and passed over.

    Raises:
        RegistryUnavailable: the registry does not answer.
    """
    found = {}
    for name in registry.children(IDS):
        node = registry.get(f"{IDS}/{name}")
        address = parse_broker(node[0]) if node else None
        broker = number(name)
        if address is not None and broker is not None:
            found[broker] = address
        elif node is not None:
            log.warning("broker's node is not understood", extra={"path": f"{IDS}/{name}"})
    return found


def read_partitions(registry: Registry, topic: str) -> list[BrokerPartition]:
    """The partitions of a topic on all brokers, by number of broker, then of partition.

    Raises:
        RegistryUnavailable: the registry does not answer.
    """
    found = []
    for name in registry.children(f"{TOPICS}/{topic}"):
        path = f"{TOPICS}/{topic}/{name}"
        node = registry.get(path)
        text = node[0].decode("ascii", "replace") if node else "0"
        broker, count = number(name), number(text, _MOST_PARTITIONS)
        if broker is not None and count is not None:
            found += [BrokerPartition(broker, index) for index in range(count)]
        else:
            log.warning("topic's node is not understood", extra={"path": path})
    return sorted(found)
