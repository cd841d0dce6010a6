"""The properties of a group, by its type.

Source: Kafka 4.3 GroupConfig. Broker properties limit most of the numbers.
"""

from typing import ClassVar

from barnabas.config.configuration import Configuration
from barnabas.config.definition import INT_MAX, MEDIUM, boolean, integer, string


def _milliseconds(default: int, low: int, high: int, text: str, synonym: str) -> int:
    return integer(default, MEDIUM, text, low=low, high=high, synonym=f"group.{synonym}")


_SESSION = (
    "The timeout to detect client failures: a member without a heartbeat for so long is removed, "
    "in milliseconds."
)
_HEARTBEAT = "The heartbeat interval given to the members, in milliseconds."
_ASSIGNMENT = "The interval between assignment updates is at least so long, in milliseconds."


def _limited(default: int, text: str, name: str) -> int:
    """Broker properties give the range."""
    return integer(default, MEDIUM, text, low=0, synonym=f"group.{name}")


class GroupConfig(Configuration):
    """What you can set for a resource of type GROUP."""

    inert_level: ClassVar[int] = 10

    consumer_session_timeout_ms: int = _limited(45_000, _SESSION, "consumer.session.timeout.ms")
    consumer_heartbeat_interval_ms: int = _limited(
        5_000, _HEARTBEAT, "consumer.heartbeat.interval.ms"
    )
    consumer_assignment_interval_ms: int = _limited(
        1_000, _ASSIGNMENT, "consumer.assignment.interval.ms"
    )
    share_session_timeout_ms: int = _limited(45_000, _SESSION, "share.session.timeout.ms")
    share_heartbeat_interval_ms: int = _limited(5_000, _HEARTBEAT, "share.heartbeat.interval.ms")
    share_assignment_interval_ms: int = _limited(1_000, _ASSIGNMENT, "share.assignment.interval.ms")
    share_record_lock_duration_ms: int = _limited(
        30_000,
        "The record acquisition lock duration: how long a member holds a delivered record, in "
        "milliseconds.",
        "share.record.lock.duration.ms",
    )
    share_delivery_count_limit: int = _limited(
        5, "The maximum number of times that a record is delivered.", "share.delivery.count.limit"
    )
    share_partition_max_record_locks: int = _limited(
        2_000,
        "Share-group record lock limit: the maximum number of records of a partition held at once.",
        "share.partition.max.record.locks",
    )
    share_auto_offset_reset: str = string(
        "latest",
        MEDIUM,
        "The strategy to initialize the start of a share group: earliest, latest, or by_duration: "
        "with an ISO 8601 duration.",
    )
    share_isolation_level: str = string(
        "read_uncommitted",
        MEDIUM,
        "Controls how to read records of transactions: whether uncommitted ones are delivered.",
        choices=("read_committed", "read_uncommitted"),
    )
    share_renew_acknowledge_enable: bool = boolean(
        MEDIUM,
        default=True,
        text="Whether the renew acknowledge type is allowed, by which a member keeps a record for longer.",
    )
    streams_session_timeout_ms: int = _limited(45_000, _SESSION, "streams.session.timeout.ms")
    streams_heartbeat_interval_ms: int = _limited(
        5_000, _HEARTBEAT, "streams.heartbeat.interval.ms"
    )
    streams_assignment_interval_ms: int = _limited(
        1_000, _ASSIGNMENT, "streams.assignment.interval.ms"
    )
    streams_initial_rebalance_delay_ms: int = _milliseconds(
        3_000,
        0,
        INT_MAX,
        "The amount of time that a new group waits for more members, in milliseconds.",
        "streams.initial.rebalance.delay.ms",
    )
    streams_num_standby_replicas: int = integer(
        0,
        MEDIUM,
        "The number of standby replicas: copies of a task's state that are kept ready.",
        low=0,
        synonym="group.streams.num.standby.replicas",
    )
