import json
from collections.abc import Iterable

import pytest

from barnabas.spark.errors import DataLoss, OffsetsError, TopicMissing
from barnabas.spark.options.offsets import OffsetMap
from barnabas.spark.options.read_options import read_options
from barnabas.spark.planner.ranges import plan
from barnabas.spark.planner.resolving import batch_ranges
from barnabas.types import TopicPartition
from tests.unit.spark.fake_cluster import FakeCluster

BASE = {"kafka.bootstrap.servers": "h:1", "subscribe": "t"}
T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)


def ranges(cluster: FakeCluster, **given: str) -> list[tuple[int, int, int]]:
    found = batch_ranges(cluster, read_options(BASE | given, "batch"))
    return [(each.partition, each.start, each.end) for each in found]


def test_a_batch_reads_from_first_to_last() -> None:
    assert ranges(FakeCluster({T1: (5, 9), T0: (0, 0)})) == [(0, 0, 0), (1, 5, 9)]


class CountingCluster(FakeCluster):
    """Counts what it is asked; a question may be about any number of partitions."""

    asked = 0

    def earliest(self, partitions: Iterable[TopicPartition]) -> OffsetMap:
        self.asked += 1
        return super().earliest(partitions)

    def latest(self, partitions: Iterable[TopicPartition]) -> OffsetMap:
        self.asked += 1
        return super().latest(partitions)


@pytest.mark.parametrize("count", [1, 10_000])
def test_planning_asks_as_often_for_many_partitions_as_for_one(count: int) -> None:
    logs = {TopicPartition("t", each): (each, each + 3) for each in range(count)}
    every, given = CountingCluster(logs), CountingCluster(logs)
    tasks = plan(batch_ranges(every, read_options(BASE, "batch")))
    assert [(each.partition, each.start, each.end) for each in tasks] == [
        (each, each, each + 3) for each in range(count)
    ]
    assert every.asked == 2
    starts = json.dumps({"t": {str(each): each + 1 for each in range(count)}})
    from_offsets = read_options(BASE | {"startingoffsets": starts}, "batch")
    cut = plan(batch_ranges(given, from_offsets), max_records=1)
    assert len(cut) == 2 * count
    assert given.asked == 3


def test_given_offsets_must_cover_the_partitions_of_the_query() -> None:
    cluster = FakeCluster({T0: (0, 9), T1: (0, 9)})
    assert ranges(cluster, startingoffsets='{"t":{"0":-2,"1":4}}') == [(0, 0, 9), (1, 4, 9)]
    with pytest.raises(OffsetsError, match="lacks t-1"):
        ranges(cluster, startingoffsets='{"t":{"0":1}}')
    with pytest.raises(OffsetsError, match="names t-7"):
        ranges(cluster, endingoffsets='{"t":{"0":1,"1":1,"7":1}}')


def test_offsets_that_are_not_there_are_data_loss() -> None:
    cluster = FakeCluster({T0: (5, 9)})
    with pytest.raises(DataLoss, match=r"t-0 was asked for \[2, 9\) and has \[5, 9\)"):
        ranges(cluster, startingoffsets='{"t":{"0":2}}')
    with pytest.raises(DataLoss, match=r"\[5, 12\)"):
        ranges(cluster, endingoffsets='{"t":{"0":12}}')
    lenient = {"failondataloss": "false", "startingoffsets": '{"t":{"0":2}}'}
    assert ranges(cluster, **lenient) == [(0, 5, 9)]


def test_a_start_behind_the_end_is_refused() -> None:
    with pytest.raises(OffsetsError, match="t-0 would start at 8"):
        ranges(
            FakeCluster({T0: (0, 9)}),
            startingoffsets='{"t":{"0":8}}',
            endingoffsets='{"t":{"0":7}}',
        )


def test_timestamps_find_the_first_record_not_before() -> None:
    cluster = FakeCluster(
        {T0: (0, 9), T1: (0, 4)}, times={T0: [(0, 100), (3, 200)], T1: [(0, 100)]}
    )
    assert ranges(cluster, startingtimestamp="100") == [(0, 0, 9), (1, 0, 4)]
    assert ranges(cluster, endingtimestamp="150") == [(0, 0, 3), (1, 0, 4)]
    with pytest.raises(OffsetsError, match=r"t-1 has no record.*Strategy"):
        ranges(cluster, startingtimestamp="150")
    latest = {"startingtimestamp": "150", "startingoffsetsbytimestampstrategy": "latest"}
    assert ranges(cluster, **latest) == [(0, 3, 9), (1, 4, 4)]
    each = '{"t":{"0":101,"1":1}}'
    assert ranges(cluster, startingoffsetsbytimestamp=each) == [(0, 3, 9), (1, 0, 4)]


def test_what_does_not_exist_is_named() -> None:
    with pytest.raises(TopicMissing, match=r"BARNABAS_NO_TOPIC.*topic t is not"):
        ranges(FakeCluster({}))
    near = FakeCluster({TopicPartition("tt", 0): (0, 1), TopicPartition("other", 0): (0, 1)})
    with pytest.raises(
        TopicMissing, match=r"topic t is not on the cluster: did you mean tt\? create"
    ):
        ranges(near)
    assigned = {"kafka.bootstrap.servers": "h:1", "assign": '{"t":[0,1]}'}
    with pytest.raises(TopicMissing, match="t-1"):
        batch_ranges(FakeCluster({T0: (0, 1)}), read_options(assigned, "batch"))


def test_a_pattern_that_matches_nothing_reads_nothing() -> None:
    options = read_options({"kafka.bootstrap.servers": "h:1", "subscribepattern": "x.*"}, "batch")
    assert batch_ranges(FakeCluster({T0: (0, 1)}), options) == []
