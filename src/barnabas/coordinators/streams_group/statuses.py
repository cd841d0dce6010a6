"""Statuses: problems reported to a member besides its tasks.

Source: Kafka's StreamsGroupHeartbeatResponse.
"""

from enum import IntEnum
from typing import NamedTuple


class StatusCode(IntEnum):
    """The numbers on the wire."""

    STALE_TOPOLOGY = 0
    MISSING_SOURCE_TOPICS = 1
    INCORRECTLY_PARTITIONED_TOPICS = 2
    MISSING_INTERNAL_TOPICS = 3
    SHUTDOWN_APPLICATION = 4
    ASSIGNMENT_DELAYED = 5


class Status(NamedTuple):
    """A code, and its reason."""

    code: StatusCode
    detail: str
