"""SharePolicy: what a share group obeys, of the broker's properties and its own."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from barnabas.config.broker import BrokerConfig
from barnabas.config.group import GroupConfig
from barnabas.coordinators.share_group.groups import ShareSettings
from barnabas.coordinators.share_partition.partition import Limits

_DURATION = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?)?")
_SECONDS = (86_400, 3_600, 60, 1)


class OffsetReset(NamedTuple):
    """Where a new group begins: at the first record, the end, or so many milliseconds ago."""

    earliest: bool = False
    back_ms: int | None = None


class SharePolicy(NamedTuple):
    """All that a group obeys."""

    limits: Limits
    settings: ShareSettings
    offset_reset: OffsetReset
    committed_only: bool


def share_policy(config: BrokerConfig, own: Mapping[str, str]) -> SharePolicy:
    """What a share group obeys that has these properties of its own."""
    given = GroupConfig.load(own)

    def value(name: str, everywhere: int, its_own: int) -> int:
        return its_own if name in own else everywhere

    return SharePolicy(
        Limits(
            value(
                "share.partition.max.record.locks",
                config.group_share_partition_max_record_locks,
                given.share_partition_max_record_locks,
            ),
            value(
                "share.delivery.count.limit",
                config.group_share_delivery_count_limit,
                given.share_delivery_count_limit,
            ),
            value(
                "share.record.lock.duration.ms",
                config.group_share_record_lock_duration_ms,
                given.share_record_lock_duration_ms,
            ),
            given.share_renew_acknowledge_enable,
        ),
        ShareSettings(
            value(
                "share.session.timeout.ms",
                config.group_share_session_timeout_ms,
                given.share_session_timeout_ms,
            ),
            value(
                "share.heartbeat.interval.ms",
                config.group_share_heartbeat_interval_ms,
                given.share_heartbeat_interval_ms,
            ),
            value(
                "share.assignment.interval.ms",
                config.group_share_assignment_interval_ms,
                given.share_assignment_interval_ms,
            ),
            config.group_share_max_size,
        ),
        _reset(given.share_auto_offset_reset),
        given.share_isolation_level == "read_committed",
    )


def _reset(text: str) -> OffsetReset:
    if text in {"earliest", "latest"}:
        return OffsetReset(earliest=text == "earliest")
    found = _DURATION.fullmatch(text.partition(":")[2])
    assert found is not None, "it was checked when it was set"
    parts = (float(each or 0) * unit for each, unit in zip(found.groups(), _SECONDS, strict=True))
    return OffsetReset(back_ms=int(sum(parts) * 1000))
