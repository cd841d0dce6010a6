"""CommitsStay: an acknowledged position is neither lost nor moved back.

The members of the simulation commit only what is behind what they were told when they began.
"""

from sim.events import Committed, Event, Place, Positions, PowerCut, Violation


class CommitsStay:
    """Who asks after a position was acknowledged is told that one or a later one."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, Place], list[tuple[int, int]]] = {}

    def take(self, event: Event) -> None:
        """Judge one event."""
        match event:
            case Committed(told=told, group=group, positions=positions):
                for place, offset in positions.items():
                    known = self._known.setdefault((group, place), [])
                    known.append((told, offset))
            case Positions(mark=mark, group=group, positions=positions):
                for place, offset in positions.items():
                    known = self._known.get((group, place), [])
                    least = max((one for at, one in known if at < mark), default=-1)
                    if offset < least:
                        raise Violation(f"{group} at {place}: {least} committed, {offset} told")
            case PowerCut(loses=True):
                self._known.clear()
            case _:
                pass
