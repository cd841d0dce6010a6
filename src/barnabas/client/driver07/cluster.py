"""What 0.7 brokers register in ZooKeeper: their addresses and partitions. Read-only.

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
    """The address of a broker."""

    host: str
    port: int


def parse_broker(data: bytes) -> Address | None:
    """Parse `creator:host:port`; None if it is malformed. The creator may be anything.

    Always split at ":" and take the second and the third element (seed 000); Jafka adds a fourth.
    """
    parts = data.decode("utf-8", "replace").split(":")
    port = number(parts[2], _HIGHEST_PORT) if len(parts) >= 3 else None
    return None if port is None or not parts[1] else Address(parts[1], port)


def number(text: str, most: int = _HIGHEST_BROKER) -> int | None:
    """Parse decimal digits up to `most`; None if they are something else."""
    # Python refuses to convert more than some thousand digits.
    if not text.isdecimal() or len(text) > _MOST_DIGITS:
        return None
    found = int(text)
    return found if found <= most else None


def read_brokers(registry: Registry) -> dict[int, Address]:
    """Return all valid brokers, by id; invalid ones are logged and skipped.

    Raises:
        RegistryUnavailable: the registry does not respond.
    """
    found = {}
    for name in registry.children(IDS):
        node = registry.get(f"{IDS}/{name}")
        address = parse_broker(node[0]) if node else None
        broker = number(name)
        if address is not None and broker is not None:
            found[broker] = address
        elif node is not None:
            log.warning("invalid broker node", extra={"path": f"{IDS}/{name}"})
    return found


def read_partitions(registry: Registry, topic: str) -> list[BrokerPartition]:
    """Return the partitions of a topic on all brokers, by broker number, then partition.

    Raises:
        RegistryUnavailable: the registry does not respond.
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
            log.warning("invalid topic node", extra={"path": path})
    return sorted(found)
