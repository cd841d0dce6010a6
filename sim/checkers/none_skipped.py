"""NoneSkipped: a share group that has settled was offered every record until somebody was done with it.

What was delivered as often as it may be is done with as well. An answer that did not arrive may have been
a delivery.
"""

from collections import defaultdict

from barnabas.coordinators.share_partition.partition import Acknowledge
from sim.events import (
    AcknowledgeDone,
    AcknowledgeSent,
    Delivered,
    Event,
    FetchLost,
    Place,
    PowerCut,
    Violation,
    WholeLog,
)

_DONE = frozenset({Acknowledge.ACCEPT, Acknowledge.REJECT, Acknowledge.GAP})


class NoneSkipped:
    """Judges at the end, but where a power cut took records and not the group's knowledge of them."""

    def __init__(self, limit: int) -> None:
        """`limit`: how often a record is delivered at most; 0: there is no share group."""
        self._limit = limit
        self._done: set[tuple[Place, int]] = set()
        self._unanswered: dict[tuple[int, Place], set[int]] = {}
        """Offsets whose result is unknown, by the mark of their request."""
        self._counts: dict[tuple[Place, int], int] = defaultdict(int)
        self._lost = 0

    def take(self, event: Event) -> None:
        """Judge one event."""
        match event:
            case Delivered(place=place, counts=counts):
                for offset, count in counts.items():
                    self._counts[place, offset] = max(count, self._counts[place, offset])
            case AcknowledgeSent(mark=mark, place=place, kinds=kinds):
                done = {at for at, kind in kinds.items() if kind in _DONE}
                self._unanswered[mark, place] = done
            case AcknowledgeDone(mark=mark, place=place):
                done = self._unanswered.pop((mark, place))
                self._done |= {(place, at) for at in done if not event.refused}
            case FetchLost():
                self._lost += 1
            case PowerCut(loses=True):
                self._limit = 0
            case WholeLog(place=place, values=values):
                unanswered = {
                    at for (_, one), some in self._unanswered.items() if one == place for at in some
                }
                skipped = [
                    offset
                    for offset in values
                    if (place, offset) not in self._done
                    and offset not in unanswered
                    and self._counts[place, offset] + self._lost < self._limit
                ]
                if skipped:
                    raise Violation(f"{place}: nobody was done with {skipped}")
            case _:
                pass
