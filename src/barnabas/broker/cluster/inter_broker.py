"""The request versions between brokers, by inter.broker.protocol.version.

Brokers do not send each other ApiVersions: all brokers of a cluster have the same property.

Source: Kafka's MetadataVersion (ApiVersion before 3.0) and ControllerChannelManager.
"""

import re
from typing import NamedTuple

from barnabas.config.releases import RELEASES
from barnabas.errors import ConfigError

_FORM = re.compile(r"(0\.1[01]|\d+\.\d+)(?:\.\d+)?(?:-IV(\d+))?")
_FINAL = 99
"""A release without an IV number includes all its IVs."""

Step = tuple[int, int, int]
"""Major, minor, and the number after IV."""


class InterBrokerVersions(NamedTuple):
    """The version of each request that this broker sends to others; -1: it does not send it."""

    fetch: int
    epoch_end: int
    """OffsetForLeaderEpoch."""
    list_offsets: int
    controlled_shutdown: int
    alter_partition: int
    """-1: leaders write their ISR into ZooKeeper."""
    strict_min_isr: int
    """0: nothing is committed while fewer than min.insync.replicas are in sync."""
    leader_and_isr: int
    update_metadata: int
    stop_replica: int
    write_txn_markers: int
    topic_ids: int
    """0: the controller assigns ids to topics (KIP-516)."""
    add_partitions_to_txn: int
    """-1: leaders do not verify that a transaction is open (KIP-890)."""
    share_state: int
    """0: ReadShareGroupState and related requests are sent, so that share groups work (KIP-932)."""

    @property
    def truncates_in_fetch(self) -> bool:
        """Whether Fetch responses report where two logs diverge (KIP-595)."""
        return self.fetch >= 12


_FETCH = {
    (0, 11, 1): 5, (1, 1, 0): 7, (2, 0, 1): 8, (2, 1, 2): 10, (2, 3, 1): 11, (2, 7, 1): 12,
    (3, 1, 0): 13, (3, 5, 0): 14, (3, 5, 1): 15,
}  # fmt: skip
_EPOCH_END = {(0, 11, 2): 0, (2, 0, 0): 1, (2, 1, 1): 2, (2, 3, 1): 3, (2, 8, 0): 4}
_LIST_OFFSETS = {(0, 11, 0): 1, (2, 1, 1): 4, (2, 2, 1): 5, (2, 8, 0): 6, (3, 0, 1): 7}
_CONTROLLED_SHUTDOWN = {(0, 11, 0): 1, (2, 2, 0): 2, (2, 4, 1): 3}
_ALTER_PARTITION = {(2, 7, 2): 0, (3, 2, 0): 1}
_STRICT_MIN_ISR = {(3, 7, 0): 0}
"""Kafka does this since 3.7, whatever the property says; here the property stands for the release."""
_LEADER_AND_ISR = {
    (0, 11, 0): 0, (1, 0, 0): 1, (2, 2, 0): 2, (2, 4, 0): 3, (2, 4, 1): 4, (2, 8, 1): 5,
    (3, 2, 0): 6, (3, 4, 0): 7,
}  # fmt: skip
_UPDATE_METADATA = {
    (0, 11, 0): 3, (1, 0, 0): 4, (2, 2, 0): 5, (2, 4, 1): 6, (2, 8, 1): 7, (3, 4, 0): 8,
}  # fmt: skip
_STOP_REPLICA = {(0, 11, 0): 0, (2, 2, 0): 1, (2, 4, 1): 2, (2, 6, 0): 3, (3, 4, 0): 4}
_WRITE_TXN_MARKERS = {(0, 11, 0): 0, (2, 8, 0): 1, (4, 2, 0): 2}
_TOPIC_IDS = {(2, 8, 0): 0}
_ADD_PARTITIONS_TO_TXN = {(3, 6, 0): 4, (3, 8, 0): 5}
_SHARE_STATE = {(4, 2, 0): 0}
_OLDEST: Step = (0, 11, 2)


def release_of(protocol: str) -> str:
    """The release line of a value such as 2.7-IV2; for newer values, the newest one known.

    Raises:
        ConfigError: the value is invalid.
    """
    step = _step(protocol)
    return next(
        (one for one in reversed(RELEASES) if (*map(int, one.split(".")[:2]),) <= step[:2]),
        RELEASES[0],
    )


def versions_of(protocol: str) -> InterBrokerVersions:
    """The versions for a value of inter.broker.protocol.version, such as 2.8 or 2.7-IV2.

    Raises:
        ConfigError: the value is invalid, or older than 0.11: followers then truncate to the high watermark,
            which loses records (KIP-101).
    """
    step = _step(protocol)
    if step < _OLDEST:
        raise ConfigError(
            f"inter.broker.protocol.version={protocol}: a member of a cluster needs 0.11 or later"
        )
    tables = (
        _FETCH,
        _EPOCH_END,
        _LIST_OFFSETS,
        _CONTROLLED_SHUTDOWN,
        _ALTER_PARTITION,
        _STRICT_MIN_ISR,
        _LEADER_AND_ISR,
        _UPDATE_METADATA,
        _STOP_REPLICA,
        _WRITE_TXN_MARKERS,
        _TOPIC_IDS,
        _ADD_PARTITIONS_TO_TXN,
        _SHARE_STATE,
    )
    return InterBrokerVersions(
        *(
            max((version for since, version in table.items() if since <= step), default=-1)
            for table in tables
        )
    )


def _step(protocol: str) -> Step:
    found = _FORM.fullmatch(protocol)
    if found is None:
        raise ConfigError(
            f"inter.broker.protocol.version={protocol}: expected a release such as 2.8 or 2.7-IV2"
        )
    major, minor = map(int, found[1].split("."))
    return major, minor, int(found[2]) if found[2] else _FINAL
