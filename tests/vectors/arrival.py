"""Arrival: where a client is listened to, for `capture_groups`."""

from typing import NamedTuple

RECORDS = 60
"""In the topic that clients read."""


ASIDE = "aside"
"""The client id of who has something to do there that is not to be kept."""


class Arrival(NamedTuple):
    """What clients send to the relay is kept. It is also the address that Kafka advertises.

    `source` is a topic with records in one partition, `target` an empty one.
    """

    relay: str
    source: str
    target: str
