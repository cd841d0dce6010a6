"""OneRole: a task of a streams group has one active owner, and a process has it in one role at most."""

from collections.abc import Iterable

from sim.events import Described, Does, Event, LetsGo, PowerCut, StreamsTask, Violation

_Tasks = tuple[StreamsTask, ...]


class OneRole:
    """Of what members surely do, at any time; of what the broker says of them, in each answer."""

    def __init__(self) -> None:
        self._does: dict[str, dict[str, Does]] = {}

    def take(self, event: Event) -> None:
        """Judge one event."""
        match event:
            case Does(group=group, owner=owner):
                known = self._does.setdefault(group, {})
                known[owner] = event
                _check(
                    (one.process, one.active, one.standby)
                    for one in known.values()
                    if event.at < one.until
                )
            case Described(members=members):
                _check((one.process, one.active, one.standby) for one in members.values())
                _check(
                    (one.process, one.active_wanted, one.standby_wanted) for one in members.values()
                )
            case LetsGo(group, owner):
                self._does.get(group, {}).pop(owner, None)
            case PowerCut(loses=True):
                self._does.clear()
            case _:
                pass


def _check(shares: Iterable[tuple[str, _Tasks, _Tasks]]) -> None:
    owned: set[StreamsTask] = set()
    by_process: dict[str, set[StreamsTask]] = {}
    for process, active, standby in shares:
        has = by_process.setdefault(process, set())
        for task in active:
            if task in owned:
                raise Violation(f"{task} has two owners, one of them in {process}")
            owned.add(task)
        for task in (*active, *standby):
            if task in has:
                raise Violation(f"{task} is done twice in {process}")
            has.add(task)
