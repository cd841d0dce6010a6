"""Attacks by many requests on one connection whose answers are large or costly, and are not read."""

import struct
import time
from collections.abc import Callable
from contextlib import ExitStack

from tests.hostile.attacks.attack import Attack, Target
from tests.interop.brokers import InteropBroker
from tests.interop.raw import Raw, framed, header, produce_7, produce_7_code
from tests.record_batches import make_batch

MEGABYTE = 1 << 20
_HELD_SECONDS = 2.0
Strike = Callable[[ExitStack], None]


def unread(broker: Target, frames: bytes, connections: int = 1) -> Strike:
    """Send the same on each connection, and read nothing for a while."""

    def strike(attackers: ExitStack) -> None:
        for _ in range(connections):
            attacker = attackers.enter_context(Raw(broker.bootstrap_servers))
            attacker.send_what_fits(frames)
        time.sleep(_HELD_SECONDS)

    return strike


def _describe_configs(broker: Target) -> Strike:
    # One resource, the broker (4) called 1; all keys, synonyms and documentation.
    body = struct.pack(">ibh1sibb", 1, 4, 1, b"1", -1, 1, 1)
    return unread(broker, framed(header(32, 3, client=b"") + body) * 9000)


def _fetches(version: int, count: int) -> Callable[[Target], Strike]:
    def prepare(broker: Target) -> Strike:
        topic = InteropBroker(broker).new_topic()
        batch = make_batch(1, size=1_000_000)
        with Raw(broker.bootstrap_servers) as connection:
            answer = connection.ask(produce_7(topic, bytes(batch)))
            assert answer is not None
            assert produce_7_code(topic, answer) == 0
        return unread(broker, fetch(topic, version, range(1)) * count)

    return prepare


def fetch(topic: str, version: int, partitions: range, wait_ms: int = 0) -> bytes:
    """A Fetch request of version 0 to 4, as a frame: from the start of each partition, of one record."""
    name = topic.encode()
    body = struct.pack(">iii", -1, wait_ms, 1)
    body += struct.pack(">i", 50 * MEGABYTE) if version >= 3 else b""
    body += struct.pack(">b", 0) if version >= 4 else b""
    body += struct.pack(">ih", 1, len(name)) + name + struct.pack(">i", len(partitions))
    parts = (struct.pack(">iqi", index, 0, MEGABYTE) for index in partitions)
    return framed(header(1, version) + body + b"".join(parts))


ATTACKS = (
    Attack(
        "describe-configs", "9,000 pipelined DescribeConfigs (252 KB), unread", _describe_configs
    ),
    Attack("old-fetches", "400 pipelined Fetch 0 of 1 MB (24 KB), unread", _fetches(0, 400)),
    Attack("fetches", "400 pipelined Fetch 4 of 1 MB (25 KB), unread", _fetches(4, 400)),
)
