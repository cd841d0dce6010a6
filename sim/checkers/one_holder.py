"""OneHolder: what a member of a group surely has for its own, no other one has, nor commits for."""

from sim.events import Committed, Event, Holds, LetsGo, Place, PowerCut, Violation


class OneHolder:
    """From the answer that says so until it begins to give back, or could be given up."""

    def __init__(self) -> None:
        self._holds: dict[str, dict[str, Holds]] = {}

    def take(self, event: Event) -> None:
        """Judge one event."""
        match event:
            case Holds(group=group, owner=owner):
                holders = self._holds.setdefault(group, {})
                for other in holders.values():
                    both = _surely(other, event.at) & _surely(event, event.at)
                    if other.owner != owner and both:
                        raise Violation(f"{sorted(both)}: {other} and {event}")
                holders[owner] = event
            case Committed(group=group, owner=owner):
                for other in self._holds.get(group, {}).values():
                    was_answered = other.answered < event.mark and other.owner != owner
                    both = _surely(other, event.at) & event.positions.keys()
                    if was_answered and both:
                        raise Violation(f"{sorted(both)}: {other}, and {event}")
            case LetsGo(group, owner):
                self._holds.get(group, {}).pop(owner, None)
            case PowerCut(loses=True):
                self._holds.clear()
            case _:
                pass


def _surely(holds: Holds, at: float) -> set[Place]:
    return set(holds.places) if at < holds.until else set()
