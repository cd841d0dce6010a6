"""SharePolicy: the settings of a share group: the broker's properties and its own."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from barnabas.broker.groups.limits import share_deliveries, times_of
from barnabas.config.broker import BrokerConfig
from barnabas.config.group import GroupConfig
from barnabas.coordinators.share_group.groups import ShareSettings
from barnabas.coordinators.share_partition.acquiring import AcquireLimits

_DURATION = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?)?")
_SECONDS = (86_400, 3_600, 60, 1)


class OffsetReset(NamedTuple):
    """Where a new group begins: at the first record, the end, or so many milliseconds ago."""

    earliest: bool = False
    back_ms: int | None = None


class SharePolicy(NamedTuple):
    """All that a group obeys."""

    limits: AcquireLimits
    settings: ShareSettings
    offset_reset: OffsetReset
    committed_only: bool


def share_policy(config: BrokerConfig, own: Mapping[str, str]) -> SharePolicy:
    """What a share group obeys that has these properties of its own."""
    given = GroupConfig.load(own)
    limits, times = share_deliveries(config), times_of(config, "share")
    return SharePolicy(
        AcquireLimits(
            limits.locks.of(own),
            limits.deliveries.of(own),
            limits.lock_duration.of(own),
            given.share_renew_acknowledge_enable,
        ),
        ShareSettings(
            times.session.of(own),
            times.heartbeat.of(own),
            times.assignment.of(own),
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
