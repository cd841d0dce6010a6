from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barnabas.coordinators.streams_group import sticky_assignor
from barnabas.coordinators.streams_group.sticky_assignor import GroupTasks, assign
from barnabas.coordinators.streams_group.tasks import Role, Task, Tasks


def group_tasks(
    processes: dict[str, str],
    tasks: dict[str, int],
    before: dict[str, Tasks] | None = None,
    standbys: int = 0,
) -> GroupTasks:
    return GroupTasks(processes, tasks, frozenset(tasks), standbys, before or {})


def active(name: str, *partitions: int) -> Tasks:
    return frozenset(Task(Role.ACTIVE, name, one) for one in partitions)


def test_tasks_stay_where_they_are_as_far_as_that_is_fair() -> None:
    before = {"a": active("0", 0, 1), "b": active("0", 2, 3), "c": active("0", 4, 5)}
    processes = {name: name for name in "abcd"}
    found = assign(group_tasks(processes, {"0": 6}, before))
    assert sorted(len(share) for share in found.values()) == [1, 1, 2, 2]
    kept = [found[name] & before[name] for name in "abc"]
    assert sum(map(len, kept)) == 5


def test_who_stands_by_takes_over() -> None:
    standing_by = frozenset({Task(Role.STANDBY, "0", 0)})
    before = {"b": standing_by, "a": frozenset[Task]()}
    found = assign(group_tasks({"a": "p", "b": "q"}, {"0": 2}, before))
    assert found["b"] == active("0", 0)


def test_each_subtopology_is_spread() -> None:
    found = assign(group_tasks({name: name for name in "abc"}, {"0": 6, "1": 3}))
    parts = [Counter(task.subtopology_id for task in share) for share in found.values()]
    assert parts == [Counter({"0": 2, "1": 1})] * 3


@pytest.mark.parametrize("processes", [1, 100])
def test_the_work_grows_with_the_tasks_and_not_with_the_members(
    monkeypatch: pytest.MonkeyPatch, processes: int
) -> None:
    """100,000 tasks of 100 members once took 17 s."""
    looks = 0
    load = sticky_assignor._Process.load

    def counted(process: Any) -> float:
        nonlocal looks
        looks += 1
        return float(load.__get__(process))

    monkeypatch.setattr(sticky_assignor._Process, "load", property(counted))
    members = {f"m{one}": f"p{one % processes}" for one in range(100)}
    found = assign(group_tasks(members, {"0": 1000, "1": 500}, standbys=1))
    assert {sum(task.role is Role.ACTIVE for task in share) for share in found.values()} == {15}
    assert looks <= 2 * 1500 + 2 * processes


@given(
    st.lists(st.sampled_from("pqr"), min_size=1, max_size=6),
    st.dictionaries(st.sampled_from("012"), st.integers(1, 6), min_size=1),
    st.integers(0, 2),
    st.integers(0, 5),
)
def test_every_task_is_done_once_and_kept_by_others(
    places: list[str], tasks: dict[str, int], standbys: int, gone: int
) -> None:
    processes = {f"m{index}": process for index, process in enumerate(places)}
    before: dict[str, Tasks] = {}
    for _ in range(2):
        found = assign(group_tasks(processes, tasks, before, standbys))
        counts = Counter(task for share in found.values() for task in share)
        everything = [(name, one) for name, count in tasks.items() for one in range(count)]
        there = len(set(processes.values()))
        for name, one in everything:
            assert counts[Task(Role.ACTIVE, name, one)] == 1
            assert counts[Task(Role.STANDBY, name, one)] == min(standbys, there - 1)
        for process in set(processes.values()):
            has = [
                task[1:]
                for member, share in found.items()
                if processes[member] == process
                for task in share
            ]
            assert len(has) == len(set(has)), "a process has a task in one role"
        active_counts = [
            sum(task.role is Role.ACTIVE for task in share) for share in found.values()
        ]
        if standbys == 0:
            assert max(active_counts) - min(active_counts) <= 1
            again = assign(group_tasks(processes, tasks, found))
            assert again == found, "nothing moves without a reason"
        before = found
        if len(processes) > 1:
            processes.pop(sorted(processes)[gone % len(processes)])
