"""Attacks by requests that wait, and are answered all at once."""

import time
from contextlib import ExitStack

from tests.hostile.attacks.attack import Attack, Strike, Target
from tests.hostile.attacks.frames import fetch, produced
from tests.interop.brokers import InteropBroker
from tests.interop.raw import Raw

_PARTITIONS = 50
_WAIT_MS = 120_000
_PARKING_SECONDS = 2.0


def _long_polls(broker: Target) -> Strike:
    topic = InteropBroker(broker).new_topic(partitions=_PARTITIONS)
    return _strike(broker, topic, fetch(topic, 4, range(_PARTITIONS), _WAIT_MS))


def _long_polls_of_committed(broker: Target) -> Strike:
    topic = InteropBroker(broker).new_topic(partitions=_PARTITIONS)
    for index in range(_PARTITIONS):
        produced(broker, topic, partition=index)
    enough = 68 * (_PARTITIONS + 1)
    ask = fetch(topic, 4, range(_PARTITIONS), _WAIT_MS, min_bytes=enough, committed_only=True)
    return _strike(broker, topic, ask)


def _strike(broker: Target, topic: str, poll: bytes) -> Strike:
    def strike(attackers: ExitStack) -> float:
        for _ in range(3000):
            attacker = attackers.enter_context(Raw(broker.bootstrap_servers))
            attacker.send(poll)
        time.sleep(_PARKING_SECONDS)
        return produced(broker, topic)

    return strike


ATTACKS = (
    Attack(
        "long-polls",
        "3,000 connections with a long poll of 50 partitions each, then one record for all",
        _long_polls,
    ),
    Attack(
        "long-polls-of-committed",
        "the same for committed records, with one record in each partition and one too few",
        _long_polls_of_committed,
    ),
)
