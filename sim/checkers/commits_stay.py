"""CommitsStay: an acknowledged position is neither lost nor moved back.

The members of the simulation commit only offsets behind those that they received at their start.
"""

from sim.events import Committed, Event, Place, Positions, PowerCut, Violation


class CommitsStay:
    """A fetch after an acknowledged commit returns that offset or a later one."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, Place], list[tuple[int, int]]] = {}

    def take(self, event: Event) -> None:
        """Judge one event."""
        match event:
            case Committed(answered=answered, group=group, positions=positions):
                for place, offset in positions.items():
                    known = self._known.setdefault((group, place), [])
                    known.append((answered, offset))
            case Positions(mark=mark, group=group, positions=positions):
                for place, offset in positions.items():
                    known = self._known.get((group, place), [])
                    least = max((one for at, one in known if at < mark), default=-1)
                    if offset < least:
                        raise Violation(f"{group} at {place}: {least} committed, {offset} fetched")
            case PowerCut(loses=True):
                self._known.clear()
            case _:
                pass
