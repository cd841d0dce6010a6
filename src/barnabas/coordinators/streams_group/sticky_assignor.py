"""The assignor `sticky`: tasks stay where they are, or where their state is, as far as that is fair.

Members of one process share its load. A process has each task at most once, in whatever role, so
that there may be fewer standby tasks than configured. Source: KIP-1071; Kafka's StickyTaskAssignor.
It does not specify which member gets which task.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush, heapreplace
from typing import NamedTuple

from barnabas.coordinators.streams_group.tasks import Role, Task, Tasks


class GroupTasks(NamedTuple):
    """`processes`: of each member. `tasks`: their number in each subtopology; `stateful`: those with state.

    `standbys`: the number of standby tasks for each stateful task. `before`: the previous target.
    """

    processes: Mapping[str, str]
    tasks: Mapping[str, int]
    stateful: frozenset[str]
    standbys: int
    before: Mapping[str, Tasks]


@dataclass(slots=True)
class _Process:
    """One process with its members' tasks. `has`: all tasks, as active ones."""

    shares: dict[str, set[Task]] = field(default_factory=dict)
    has: set[Task] = field(default_factory=set)

    @property
    def load(self) -> float:
        """Tasks per member."""
        return len(self.has) / len(self.shares)


class _Quota:
    """The fair share: the numbers of tasks differ by at most one."""

    def __init__(self, counts: list[int], more: int) -> None:
        """`counts`: the tasks that members have; `more`: the number still to assign."""
        self._each, rest = divmod(sum(counts) + more, len(counts))
        self._rest = rest - sum(max(count - self._each, 0) for count in counts)

    def take(self, count: int) -> bool:
        """Count a task for a member that has so many, if its share allows; return whether it did."""
        if count == self._each and self._rest > 0:
            self._rest -= 1
            return True
        return count < self._each


class _Sharing:
    """The tasks assigned so far."""

    def __init__(self, group: GroupTasks) -> None:
        self.group = group
        self.processes: dict[str, _Process] = {}
        for name in sorted(group.processes):
            process = self.processes.setdefault(group.processes[name], _Process())
            process.shares[name] = set()
        self._before: dict[Task, list[str]] = {}
        for name in sorted(group.processes):
            for task in group.before.get(name, ()):
                self._before.setdefault(task, []).append(name)

    def had(self, task: Task) -> list[str]:
        """The previous owners of a task in that role."""
        return self._before.get(task, [])

    def give(self, name: str, task: Task) -> None:
        process = self.process_of(name)
        process.shares[name].add(task)
        process.has.add(task.as_(Role.ACTIVE))

    def process_of(self, name: str) -> _Process:
        return self.processes[self.group.processes[name]]

    def keep(self, task: Task, names: Iterable[str], quota: "_Quota") -> bool:
        """Assign a task to the first of these that may have it and has less than its fair share."""
        for name in names:
            process = self.process_of(name)
            if task.as_(Role.ACTIVE) not in process.has and quota.take(len(process.shares[name])):
                self.give(name, task)
                return True
        return False


class _LeastLoaded:
    """Gives tasks to the member with the fewest, of the process with the least load.

    Kept as heaps: there may be 100,000 tasks, and as many members as a group may have.
    """

    def __init__(self, sharing: _Sharing) -> None:
        self._sharing = sharing
        self._processes = [
            (process.load, name, process) for name, process in sharing.processes.items()
        ]
        heapify(self._processes)
        self._members = {
            name: [(len(share), member) for member, share in process.shares.items()]
            for name, process in sharing.processes.items()
        }
        for members in self._members.values():
            heapify(members)

    def give(self, task: Task) -> None:
        """A standby task without a suitable process is omitted."""
        wanted, unable = task.as_(Role.ACTIVE), []
        while self._processes and wanted in self._processes[0][2].has:
            unable.append(heappop(self._processes))
        if self._processes:
            _, name, process = self._processes[0]
            count, member = self._members[name][0]
            self._sharing.give(member, task)
            heapreplace(self._members[name], (count + 1, member))
            heapreplace(self._processes, (process.load, name, process))
        for one in unable:
            heappush(self._processes, one)


def assign(group: GroupTasks) -> dict[str, Tasks]:
    """Assign each task to one active member and, if it has state, to standby members."""
    sharing = _Sharing(group)
    tasks = [
        Task(Role.ACTIVE, name, partition)
        for partition in range(max(group.tasks.values(), default=0))
        for name, count in sorted(group.tasks.items())
        if partition < count
    ]
    if sharing.processes:
        _hand_out(sharing, tasks, Role.STANDBY)
        stateful = [
            task.as_(Role.STANDBY) for task in tasks if task.subtopology_id in group.stateful
        ]
        for _ in range(group.standbys):
            _hand_out(sharing, stateful, Role.ACTIVE)
    return {
        name: frozenset(share)
        for process in sharing.processes.values()
        for name, share in process.shares.items()
    }


def _hand_out(sharing: _Sharing, tasks: list[Task], other: Role) -> None:
    """Assign to the previous owner, the previous owner in the other role, or the member with the fewest.

    The first two get no more than a fair share of all.
    """
    shares = [share for one in sharing.processes.values() for share in one.shares.values()]
    quota = _Quota([len(share) for share in shares], len(tasks))
    left = [task for task in tasks if not sharing.keep(task, sharing.had(task), quota)]
    left = [task for task in left if not sharing.keep(task, sharing.had(task.as_(other)), quota)]
    least = _LeastLoaded(sharing)
    # By subtopology, so that each has its partitions in as many processes as possible.
    for task in sorted(left):
        least.give(task)
