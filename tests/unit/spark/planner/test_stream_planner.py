import pytest

from barnabas.spark.errors import DataLoss, OffsetsError
from barnabas.spark.options.read_options import read_options
from barnabas.spark.planner.stream_planner import DISCOVERY_S, StreamPlanner
from barnabas.types import OffsetRange, TopicPartition
from tests.unit.spark.fake_cluster import FakeClock, FakeCluster

T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)
ALL = 2**63 - 1


class Query:
    """A planner as Spark would drive it, over logs that the test changes."""

    def __init__(self, logs: dict[TopicPartition, tuple[int, int]], **given: str) -> None:
        base = {"kafka.bootstrap.servers": "h:1", "subscribe": "t", "startingoffsets": "earliest"}
        self.options = read_options(base | given, "stream")
        self.cluster = FakeCluster(logs)
        self.clock = FakeClock()
        self.pauses: list[float] = []
        self.restart()

    def restart(self) -> None:
        self.planner = StreamPlanner(
            self.cluster, self.options, clock=self.clock, pause=self.pauses.append
        )

    def step(
        self, start: dict[TopicPartition, int], max_rows: int | None = ALL
    ) -> dict[TopicPartition, int]:
        self.clock.now += DISCOVERY_S
        return self.planner.next_end(start, max_rows=max_rows)


def sizes(ranges: list[OffsetRange]) -> list[tuple[int, int, int]]:
    return [(each.partition, each.start, each.end) for each in ranges]


@pytest.mark.parametrize(
    "given",
    [
        {"startingoffsets": "earliest"},
        {"startingoffsets": '{"t":{"0":3}}'},
        {"startingoffsets": '{"t":{"0":-2}}'},
        {"startingtimestamp": "30"},
        {"startingoffsetsbytimestamp": '{"t":{"0":30}}'},
    ],
)
def test_the_first_batch_has_rows_where_its_start_is_found_again(given: dict[str, str]) -> None:
    query = Query({T0: (0, 9)}, **given)
    query.cluster.times[T0] = [(each, each * 10) for each in range(9)]
    start = query.planner.initial()
    assert query.step(start) == {T0: 9}
    query.restart()
    query.cluster.logs[T0] = (0, 20)
    query.cluster.times[T0] += [(9, 90)]
    assert query.planner.initial() == start
    assert sizes(query.planner.ranges(start, {T0: 9})) == [(0, start[T0], 9)]


@pytest.mark.parametrize(
    "given",
    [
        {"startingoffsets": "latest"},
        {"startingoffsets": '{"t":{"0":-1}}'},
        {"startingtimestamp": "99", "startingoffsetsbytimestampstrategy": "latest"},
    ],
)
def test_the_first_batch_is_empty_where_it_starts_at_an_end_that_moves(
    given: dict[str, str],
) -> None:
    query = Query({T0: (0, 9)}, **given)
    query.cluster.times[T0] = [(each, each * 10) for each in range(9)]
    start = query.planner.initial()
    query.cluster.logs[T0] = (0, 20)
    assert query.step(start) == start == {T0: 9}
    assert query.step(start) == {T0: 20}


def test_a_partition_that_comes_after_a_failed_first_batch_is_no_loss() -> None:
    query = Query({T0: (0, 9)})
    first = query.step(query.planner.initial())
    query.restart()
    query.cluster.logs[T1] = (0, 4)
    start = query.planner.initial()
    assert start == {T0: 0, T1: 0}
    assert sizes(query.planner.ranges(start, first)) == [(0, 0, 9)]
    assert query.step(first) == {T0: 9, T1: 4}


def test_what_retention_takes_of_a_failed_first_batch_is_data_loss() -> None:
    query = Query({T0: (0, 9)})
    first = query.step(query.planner.initial())
    query.restart()
    query.cluster.logs[T0] = (12, 20)
    with pytest.raises(
        DataLoss, match="t-0 starts at 12 now, after its first batch, which ended at 9"
    ):
        query.planner.ranges(query.planner.initial(), first)


def test_a_given_offset_behind_the_end_is_data_loss_or_read_from_the_end() -> None:
    given = {"startingoffsets": '{"t":{"0":100}}'}
    query = Query({T0: (0, 9)}, **given)
    with pytest.raises(DataLoss, match="t-0 was asked to start at 100, and ends at 9"):
        query.planner.initial()
    lenient = Query({T0: (0, 9)}, **given, failondataloss="false")
    end = lenient.step(lenient.planner.initial())
    assert end == {T0: 9}
    lenient.cluster.logs[T0] = (0, 12)
    assert lenient.step(end) == {T0: 12}


def test_a_given_offset_behind_an_old_end_of_a_new_leader_is_none() -> None:
    query = Query({T0: (0, 9)}, startingoffsets='{"t":{"0":11}}')

    def catch_up(_: float) -> None:
        query.cluster.logs[T0] = (0, 11)

    planner = StreamPlanner(query.cluster, query.options, clock=query.clock, pause=catch_up)
    assert planner.initial() == {T0: 11}


def test_latest_does_not_move_when_the_first_batch_failed() -> None:
    query = Query({T0: (0, 9)}, startingoffsets="latest")
    pinned = query.step(query.planner.initial())
    assert pinned == {T0: 9}
    query.cluster.logs[T0] = (0, 20)
    query.restart()
    again = query.planner.initial()
    assert again == {T0: 20}
    assert query.planner.ranges(again, pinned) == []
    assert query.step(pinned) == {T0: 20}
    assert sizes(query.planner.ranges(pinned, {T0: 20})) == [(0, 9, 20)]


def test_available_now_ends_at_what_was_there_also_after_a_replayed_first_batch() -> None:
    query = Query({T0: (0, 9)})
    query.planner.freeze()
    first = query.step(query.planner.initial(), max_rows=5)
    query.restart()
    query.planner.freeze()
    query.cluster.logs[T0] = (0, 30)
    assert sizes(query.planner.ranges(query.planner.initial(), first)) == [(0, 0, 5)]
    assert query.step(first) == {T0: 9}
    assert query.step({T0: 9}) == {T0: 9}


def test_a_query_that_runs_once_takes_all_there_is() -> None:
    query = Query({T0: (0, 9)})
    assert query.step(query.planner.initial(), max_rows=None) == {T0: 9}


def test_a_batch_is_limited_in_proportion() -> None:
    query = Query({T0: (0, 900), T1: (0, 100)})
    assert query.step({T0: 0, T1: 0}, max_rows=100) == {T0: 90, T1: 10}


def test_a_new_partition_starts_at_its_first_offset() -> None:
    query = Query({T0: (0, 9)})
    assert query.step({T0: 5}) == {T0: 9}
    query.cluster.logs[T1] = (0, 4)
    assert query.step({T0: 9}) == {T0: 9, T1: 4}
    assert sizes(query.planner.ranges({T0: 9}, {T0: 9, T1: 4})) == [(0, 9, 9), (1, 0, 4)]


def test_a_new_partition_that_lost_records_already_is_data_loss() -> None:
    query = Query({T0: (0, 9), T1: (3, 4)})
    with pytest.raises(DataLoss, match="t-1 starts at 3"):
        query.planner.ranges({T0: 9}, {T0: 9, T1: 4})


def test_a_partition_that_is_gone_is_data_loss_or_left_out() -> None:
    query = Query({T0: (0, 9)})
    with pytest.raises(DataLoss, match="t-1 is gone"):
        query.step({T0: 0, T1: 3})
    lenient = Query({T0: (0, 9)}, failondataloss="false")
    assert lenient.step({T0: 0, T1: 3}) == {T0: 9}
    assert sizes(lenient.planner.ranges({T0: 0, T1: 3}, {T0: 9})) == [(0, 0, 9)]


def test_a_checkpoint_of_other_topics_is_refused_or_left_behind() -> None:
    other = TopicPartition("other", 0)
    query = Query({T0: (0, 9)})
    with pytest.raises(OffsetsError, match="offsets of topic other, which the query does not read"):
        query.step({other: 3, T1: 3})
    with pytest.raises(OffsetsError, match="checkpoint of another query"):
        query.planner.ranges({other: 3}, {T0: 9})
    lenient = Query({T0: (0, 9)}, failondataloss="false")
    assert lenient.step({other: 3}) == {T0: 9}


def test_an_end_that_went_back_is_asked_for_again_and_then_data_loss() -> None:
    query = Query({T0: (0, 4)})
    end = query.step({T0: 9})
    assert query.pauses == [1.0, 1.0]
    with pytest.raises(DataLoss, match="t-0 went back from 9 to 4"):
        query.planner.ranges({T0: 9}, end)


def test_available_now_does_not_hide_that_an_end_went_back() -> None:
    query = Query({T0: (0, 4), T1: (0, 9)})
    query.planner.freeze()
    end = query.step({T0: 9, T1: 9})
    with pytest.raises(DataLoss, match="t-0 went back from 9 to 4"):
        query.planner.ranges({T0: 9, T1: 9}, end)
    lenient = Query({T0: (0, 4)}, failondataloss="false")
    lenient.planner.freeze()
    lenient.cluster.logs[T0] = (0, 7)
    assert lenient.step({T0: 9}) == {T0: 7}
    assert sizes(lenient.planner.ranges({T0: 9}, {T0: 7})) == [(0, 9, 7)]  # which is empty


def test_available_now_says_that_a_partition_went_while_it_ran() -> None:
    query = Query({T0: (0, 4), T1: (0, 9)})
    query.planner.freeze()
    del query.cluster.logs[T0]
    with pytest.raises(DataLoss, match="t-0 is gone"):
        query.step({T0: 9, T1: 9})


def test_a_query_that_began_behind_its_frozen_end_is_done() -> None:
    query = Query({T0: (0, 9)}, startingoffsets="latest")
    query.planner.freeze()
    query.cluster.logs[T0] = (0, 20)
    pinned = query.step(query.planner.initial())
    assert pinned == {T0: 20}
    assert query.step(pinned) == {T0: 20}


def test_a_batch_waits_for_enough_records_but_not_for_ever() -> None:
    query = Query({T0: (0, 10)}, minoffsetspertrigger="5", maxtriggerdelay="60s")
    assert query.step({T0: 0}) == {T0: 10}
    query.cluster.logs[T0] = (0, 12)
    assert query.step({T0: 10}) == {T0: 10}
    query.clock.now += 60
    assert query.step({T0: 10}) == {T0: 12}
    query.cluster.logs[T0] = (0, 17)
    assert query.step({T0: 12}) == {T0: 17}


def test_what_was_just_written_is_seen_without_time_going_by() -> None:
    query = Query({T0: (0, 9)})
    assert query.planner.next_end({T0: 9}, max_rows=ALL) == {T0: 9}
    query.cluster.logs[T0] = (0, 10)
    assert query.planner.next_end({T0: 9}, max_rows=ALL) == {T0: 10}
