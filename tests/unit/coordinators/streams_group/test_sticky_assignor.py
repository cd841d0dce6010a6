from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

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
