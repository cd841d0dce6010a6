"""Rates between two samples: what grew, per second, and nothing else."""

from collections.abc import Mapping
from typing import Any

import pytest

from barnabas import Broker, GroupDescription, PartitionView, TopicPartition, TopicView
from barnabas.cli.top.rates import rates_between
from barnabas.cli.top.sample import ClusterSample
from barnabas.client.core.admin.descriptions import ClusterDescription

DOGS, MORE_DOGS, CATS = (
    TopicPartition("dogs", 0),
    TopicPartition("dogs", 1),
    TopicPartition("cats", 0),
)
BROKERS = (Broker(2, "b", 9092), Broker(1, "a", 9092))
TOPICS = {
    "dogs": TopicView(
        "dogs", partitions=(PartitionView("dogs", 0, 1), PartitionView("dogs", 1, 2))
    ),
    "cats": TopicView("cats", partitions=(PartitionView("cats", 0, 1),)),
}


def sample(at: float, ends: Mapping[TopicPartition, int], **other: Any) -> ClusterSample:
    """Two topics on two brokers; sizes are ten bytes a record."""
    sizes = other.pop("sizes", {where: 10 * end for where, end in ends.items()})
    cluster = ClusterDescription("c", 2, BROKERS)
    groups = other.pop("groups", ())
    positions, shared = other.pop("positions", {}), other.pop("share_lag", {})
    return ClusterSample(at, cluster, TOPICS, ends, sizes, groups, positions, shared)


BEFORE = {DOGS: 100, MORE_DOGS: 50, CATS: 0}


def test_growth_is_counted_per_second_by_topic_and_by_the_broker_that_leads() -> None:
    now = {DOGS: 300, MORE_DOGS: 50, CATS: 40}
    rates = rates_between(sample(10, BEFORE), sample(14, now), "records")
    topics = [(one.topic, one.records_per_s, one.bytes_per_s, one.bytes) for one in rates.topics]
    assert topics == [("dogs", 50, 500, 3500), ("cats", 10, 100, 400)]
    brokers = [
        (one.broker, one.leaders, one.records_per_s, one.controller) for one in rates.brokers
    ]
    assert brokers == [(1, 2, 60, False), (2, 1, 0, True)]


@pytest.mark.parametrize(
    ("order", "first"),
    [("records", "cats"), ("bytes", "dogs"), ("size", "dogs"), ("name", "cats")],
)
def test_topics_are_sorted_as_asked(order: str, first: str) -> None:
    now = {DOGS: 101, MORE_DOGS: 50, CATS: 2}
    sizes = {DOGS: 5000, MORE_DOGS: 0, CATS: 3}
    rates = rates_between(sample(0, BEFORE), sample(1, now, sizes=sizes), order)
    assert rates.topics[0].topic == first


def test_what_shrank_or_is_new_has_no_rate() -> None:
    now = {DOGS: 3, MORE_DOGS: 50, CATS: 7}
    before = {DOGS: 100, MORE_DOGS: 50}
    rates = rates_between(sample(0, before), sample(1, now), "name")
    assert [one.records_per_s for one in rates.topics] == [0, 0]
    assert [one.bytes_per_s for one in rates.topics] == [0, 0]


def test_bytes_are_unknown_where_brokers_do_not_report_sizes() -> None:
    rates = rates_between(sample(0, BEFORE), sample(1, BEFORE, sizes=None), "bytes")
    assert {one.bytes for one in rates.topics} == {None}
    assert {one.bytes_per_s for one in rates.brokers} == {None}


def test_groups_come_by_lag_and_read_as_fast_as_their_positions_advance() -> None:
    groups = tuple(
        GroupDescription(name, "Stable", kind, "", 1)
        for name, kind in (
            ("near", "classic"),
            ("far", "consumer"),
            ("idle", "classic"),
            ("s", "share"),
        )
    )
    gone = TopicPartition("gone", 0)
    before = sample(0, BEFORE, positions={("near", DOGS): 50, ("far", DOGS): 10})
    now = sample(
        2,
        BEFORE,
        groups=groups,
        positions={("near", DOGS): 98, ("far", DOGS): 10, ("near", gone): 5},
        share_lag={"s": 30},
    )
    rates = rates_between(before, now, "records")
    assert [(one.group, one.lag, one.records_per_s) for one in rates.groups] == [
        ("far", 90, 0),
        ("s", 30, None),
        ("near", 2, 24),
        ("idle", None, 0),
    ]
