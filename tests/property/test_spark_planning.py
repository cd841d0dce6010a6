"""Tasks cover every offset exactly once; a limited micro-batch never goes past what is there."""

from hypothesis import given
from hypothesis import strategies as st

from barnabas.spark.planner.ranges import plan, rate_limited
from barnabas.types import Offset, OffsetRange, TopicPartition

offsets = st.integers(0, 10**12)
sizes = st.one_of(st.integers(0, 50), st.integers(0, 10**9))


@st.composite
def some_ranges(draw: st.DrawFn) -> list[OffsetRange]:
    count = draw(st.integers(0, 12))
    found = []
    for partition in range(count):
        start, size = draw(offsets), draw(sizes)
        found.append(OffsetRange("t", partition, Offset(start), Offset(start + size)))
    return found


@given(
    some_ranges(),
    st.none() | st.integers(1, 200),
    st.none() | st.integers(10**7, 10**12) | st.integers(10**9, 10**9),
)
def test_tasks_cover_every_offset_exactly_once(
    ranges: list[OffsetRange], min_partitions: int | None, max_records: int | None
) -> None:
    tasks = plan(ranges, min_partitions=min_partitions, max_records=max_records)
    for each in ranges:
        mine = [task for task in tasks if task.partition == each.partition]
        marks = [each.start, *(task.end for task in mine)]
        assert [task.start for task in mine] == marks[:-1]
        assert marks[-1] == (each.end if mine else each.start)
        assert bool(mine) == (each.start < each.end)
        assert all(task.start < task.end for task in mine)
        assert max_records is None or all(task.end - task.start <= max_records for task in mine)


@given(some_ranges(), st.integers(1, 60))
def test_about_as_many_tasks_as_asked_for(ranges: list[OffsetRange], wanted: int) -> None:
    big = [each for each in ranges if each.end - each.start >= wanted * 4]
    tasks = plan(big, min_partitions=wanted)
    if big:
        assert len(tasks) >= max(len(big), wanted // 2)
        assert len(tasks) <= wanted + len(big)


@given(some_ranges(), st.integers(1, 10**10))
def test_a_limited_batch_moves_on_and_stays_in_bounds(
    ranges: list[OffsetRange], limit: int
) -> None:
    names = [TopicPartition(each.topic, each.partition) for each in ranges]
    start = {name: int(each.start) for name, each in zip(names, ranges, strict=True)}
    newest = {name: int(each.end) for name, each in zip(names, ranges, strict=True)}
    new = dict(list(start.items())[::3])
    old = {name: at for name, at in start.items() if name not in new}
    end = rate_limited(limit, old, newest, new)
    assert end.keys() == newest.keys()
    assert all(start[name] <= end[name] <= newest[name] for name in names)
    assert all(end[name] > start[name] for name in names if newest[name] > start[name])
    taken = sum(end[name] - start[name] for name in names)
    assert taken <= limit + len(names)
