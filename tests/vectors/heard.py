"""Heard: where a client is listened to, for `capture_groups`."""

from typing import NamedTuple

RECORDS = 60
"""In the topic that clients read."""


class Heard(NamedTuple):
    """What is said to the relay is kept; what goes to the broker itself is not.

    `source` is a topic with records in one partition, `target` an empty one.
    """

    relay: str
    broker: str
    source: str
    target: str
