"""Which records a topic's retention would delete because of their old timestamps.

Kafka counts `retention.ms` from the timestamps of records, not from when they were written: a copy of
old records may be gone at the next check of retention. A pipeline says so before it writes.
"""

import logging
from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Final

from barnabas.client.core.admin.descriptions import Resource
from barnabas.client.sync.admin import Admin
from barnabas.errors import BrokerError, ErrorCode
from barnabas.pipelines.target_topics import reader
from barnabas.pipelines.topic_frames import ClusterAddress, TopicRanges
from barnabas.records.columns.columns import ColumnSelection
from barnabas.runtime.clock import SystemClock

log = logging.getLogger(__name__)

_FOR_EVER: Final = -1
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def oldest_timestamps(cluster: ClusterAddress, ranges: TopicRanges) -> dict[str, int]:
    """By topic the oldest timestamp, in milliseconds, among the first records of its partitions.

    A topic is missing where it has no records, or none with a timestamp.
    """
    found: dict[str, int] = {}
    with closing(reader(cluster)) as reading:
        for where, start in ranges.starts.items():
            first = next(
                (
                    part.timestamps
                    for part in reading.read(
                        *where, start, ranges.ends[where], ColumnSelection.TIMESTAMP
                    )
                    if part.count
                ),
                None,
            )
            for at in first or ():
                if 0 <= at < found.get(where.topic, at + 1):
                    found[where.topic] = at
    return found


def warn_of_old_records(admin: Admin, oldest: Mapping[str, int], cluster: ClusterAddress) -> None:
    """Warn of each topic of the cluster that would delete its oldest record, of this time in ms."""
    now = SystemClock().time_ms()
    for topic, at in sorted(oldest.items()):
        retention = _retention_ms(admin, topic)
        if retention != _FOR_EVER and at < now - retention:
            log.warning(
                "%s: its oldest record is of %s, and the target deletes it by retention.ms=%d. To keep it: "
                "barnabas topics config %s --set retention.ms=-1 -b %s",
                topic, _time_text(at), retention, topic, cluster.bootstrap_servers,
            )  # fmt: skip


def _retention_ms(admin: Admin, topic: str) -> int:
    """How long records are kept after their timestamps; -1: for ever, or that is not reported."""
    try:
        entries = admin.describe_configs(Resource.TOPIC, topic)
    except BrokerError as error:
        if error.code is not ErrorCode.UNSUPPORTED_VERSION:
            raise
        return _FOR_EVER
    values = {name: entry.value or "" for name, entry in entries.items()}
    if "delete" not in values.get("cleanup.policy", "delete"):
        return _FOR_EVER
    if values.get("message.timestamp.type") == "LogAppendTime":
        return _FOR_EVER  # Records get the time of the copy.
    return int(values.get("retention.ms") or _FOR_EVER)


def _time_text(at: int) -> str:
    try:
        when = _EPOCH + timedelta(milliseconds=at)
    except OverflowError:
        return f"{at} ms"
    return f"{when:%Y-%m-%d %H:%M} UTC"
