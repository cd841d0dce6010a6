"""The rates of topics, groups and brokers between two samples of a cluster."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from barnabas.cli.top.sample import ClusterSample
from barnabas.client.core.admin.group_descriptions import GroupDescription
from barnabas.client.core.cluster.cluster_view import partitions_by_leader
from barnabas.types import TopicPartition, bracketed

ORDERS: Final = ("records", "bytes", "size", "name")
"""The orders of topics: by records or bytes per second, bytes on disk, their names."""


@dataclass(frozen=True, slots=True)
class TopicRate:
    """One topic: records and bytes written per second, and bytes on disk, at the leaders.

    Bytes are None if the brokers do not report sizes.
    """

    topic: str
    partitions: int
    records_per_s: float
    bytes_per_s: float | None
    bytes: int | None


@dataclass(frozen=True, slots=True)
class GroupRate:
    """One group: its lag in records, and how many it reads per second, by its saved positions.

    `lag` is None if no position is saved; `records_per_s` is None for share groups, which have no
    position in order.
    """

    group: str
    type: str
    state: str
    members: int
    lag: int | None
    records_per_s: float | None


@dataclass(frozen=True, slots=True)
class BrokerRate:
    """One broker: what is written per second to the partitions that it leads, and their bytes."""

    broker: int
    address: str
    controller: bool
    leaders: int
    records_per_s: float
    bytes_per_s: float | None
    bytes: int | None


@dataclass(frozen=True, slots=True)
class RateTables:
    """All rows, topics in the requested order, groups by lag, brokers by number; `seconds` between samples."""

    seconds: float
    cluster_id: str | None
    topics: tuple[TopicRate, ...]
    groups: tuple[GroupRate, ...]
    brokers: tuple[BrokerRate, ...]
    problems: tuple[str, ...]


def rates_between(before: ClusterSample, now: ClusterSample, order: str) -> RateTables:
    """The rates; `order` is one of `ORDERS`.

    Whatever became less counts as unchanged: a topic that was created again begins at offset 0, and
    deleted segments make a log smaller.
    """
    seconds = max(now.at - before.at, 1e-3)
    records = _growth(before.ends, now.ends)
    sized = _growth(before.sizes or {}, now.sizes) if now.sizes is not None else None
    return RateTables(
        seconds,
        now.cluster.cluster_id,
        tuple(sorted(_topics(now, records, sized, seconds), key=lambda one: _rank(one, order))),
        tuple(sorted(_groups(before, now, seconds), key=lambda one: (-(one.lag or 0), one.group))),
        tuple(_brokers(now, records, sized, seconds)),
        now.problems,
    )


_Growth = Mapping[TopicPartition, int]


def _growth(before: _Growth, now: _Growth) -> dict[TopicPartition, int]:
    return {where: max(0, value - before.get(where, value)) for where, value in now.items()}


def _rank(one: TopicRate, order: str) -> tuple[float, str]:
    value = {
        "records": one.records_per_s,
        "bytes": one.bytes_per_s,
        "size": one.bytes,
        "name": None,
    }[order]
    return -(value or 0), one.topic


def _topics(
    now: ClusterSample, records: _Growth, sized: _Growth | None, seconds: float
) -> list[TopicRate]:
    rows = []
    for name, view in now.topics.items():
        places = [TopicPartition(name, one.partition) for one in view.partitions]
        rows.append(
            TopicRate(
                name,
                len(places),
                sum(records.get(where, 0) for where in places) / seconds,
                _sum_of(sized, places, seconds),
                _whole(now.sizes, places),
            )
        )
    return rows


def _groups(before: ClusterSample, now: ClusterSample, seconds: float) -> list[GroupRate]:
    positions: dict[str, dict[TopicPartition, int]] = {}
    for (group, where), offset in now.positions.items():
        positions.setdefault(group, {})[where] = offset
    rows = []
    for one in now.groups or ():
        saved = positions.get(one.group_id, {})
        behind = [max(0, now.ends[at] - offset) for at, offset in saved.items() if at in now.ends]
        read = sum(
            max(0, offset - before.positions.get((one.group_id, where), offset))
            for where, offset in saved.items()
        )
        lag = now.share_lag.get(one.group_id, sum(behind) if behind else None)
        shared = one.group_id in now.share_lag
        rows.append(_group(one, lag, None if shared else read / seconds))
    return rows


def _group(one: GroupDescription, lag: int | None, rate: float | None) -> GroupRate:
    return GroupRate(one.group_id, one.kind, one.state, len(one.members), lag, rate)


def _brokers(
    now: ClusterSample, records: _Growth, sized: _Growth | None, seconds: float
) -> list[BrokerRate]:
    led = partitions_by_leader(now.topics)
    return [
        BrokerRate(
            one.node_id,
            f"{bracketed(one.host)}:{one.port}",
            one.node_id == now.cluster.controller,
            len(places),
            sum(records.get(where, 0) for where in places) / seconds,
            _sum_of(sized, places, seconds),
            _whole(now.sizes, places),
        )
        for one in sorted(now.cluster.brokers, key=lambda one: one.node_id)
        for places in [led.get(one.node_id, [])]
    ]


def _sum_of(sized: _Growth | None, places: list[TopicPartition], seconds: float) -> float | None:
    return None if sized is None else sum(sized.get(where, 0) for where in places) / seconds


def _whole(sizes: _Growth | None, places: list[TopicPartition]) -> int | None:
    return None if sizes is None else sum(sizes.get(where, 0) for where in places)
