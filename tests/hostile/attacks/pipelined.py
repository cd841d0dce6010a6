"""Attacks by many requests on one connection whose answers are large or costly, and are not read."""

import struct
from collections.abc import Callable

from tests.hostile.attacks.attack import Attack, Strike, Target
from tests.hostile.attacks.frames import fetch, produced, unread
from tests.interop.brokers import InteropBroker
from tests.interop.raw import framed, header

# One resource, the broker (4) called 1; all keys, synonyms and documentation.
_CONFIGS = struct.pack(">ibh1sibb", 1, 4, 1, b"1", -1, 1, 1)
DESCRIBE_CONFIGS = framed(header(32, 3, client=b"") + _CONFIGS)


def _fetches(version: int, count: int, connections: int = 1) -> Callable[[Target], Strike]:
    def prepare(broker: Target) -> Strike:
        topic = InteropBroker(broker).new_topic()
        produced(broker, topic, 1_000_000)
        return unread(broker, fetch(topic, version, [0]) * count, connections)

    return prepare


ATTACKS = (
    Attack(
        "describe-configs",
        "9,000 pipelined DescribeConfigs (252 KB), unread",
        lambda broker: unread(broker, DESCRIBE_CONFIGS * 9000),
    ),
    Attack(
        "describe-configs-of-many",
        "the same on 100 connections",
        lambda broker: unread(broker, DESCRIBE_CONFIGS * 9000, 100),
    ),
    Attack("old-fetches", "400 pipelined Fetch 0 of 1 MB (24 KB), unread", _fetches(0, 400)),
    Attack("old-fetches-of-many", "the same on 200 connections", _fetches(0, 400, 200)),
    Attack("fetches", "400 pipelined Fetch 4 of 1 MB (25 KB), unread", _fetches(4, 400)),
)
