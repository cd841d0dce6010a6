"""AllEnd: if a member of a streams group requests a shutdown, all others receive it; otherwise none do."""

from sim.events import Beaten, Disturbed, EndsAll, Event, LetsGo, PowerCut, Violation


class AllEnd:
    """Each response to a member that was one at the time has the shutdown, until the broker restarts.

    A group forgets it when its last member has gone, which cannot be seen by who is one all the time.
    """

    def __init__(self) -> None:
        self._asking: dict[str, set[str]] = {}
        self._asked: dict[str, list[EndsAll]] = {}
        self._since: dict[tuple[str, str], int] = {}
        """The mark at which a member surely was one."""
        self._disturbed = 0

    def take(self, event: Event) -> None:
        """Judge one event."""
        match event:
            case EndsAll(answered=None, group=group, owner=owner):
                self._asking.setdefault(group, set()).add(owner)
            case EndsAll(group=group, mark=mark):
                if mark > self._disturbed:
                    self._asked.setdefault(group, []).append(event)
            case Beaten():
                self._judge(event)
            case LetsGo(group, owner):
                self._since.pop((group, owner), None)
            case Disturbed(mark):
                self._disturbed = mark
                self._asked.clear()
            case PowerCut(loses=True):
                self._since.clear()
            case _:
                pass

    def _judge(self, event: Beaten) -> None:
        group, who = event.group, (event.group, event.owner)
        if event.ended_by:
            if not any(owner in event.ended_by for owner in self._asking.get(group, ())):
                raise Violation(f"nobody asked for the end of {group}: {event}")
        elif not event.joins:
            for asked in self._asked.get(group, ()):
                assert asked.answered is not None, "it is an answer"
                if self._since.get(who, asked.mark) < asked.mark and asked.answered < event.mark:
                    raise Violation(f"{event.owner} did not receive {asked}: {event}")
        if event.joins:
            self._since[who] = event.answered
