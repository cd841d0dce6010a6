"""SharedOnce: what a share group is done with is not delivered again; deliveries are counted.

A record's last delivery is of it alone: it takes no other with it. A restart may
forget deliveries that no member has acknowledged.
"""

from collections import defaultdict

from barnabas.coordinators.share_partition.partition import Acknowledge
from sim.events import AcknowledgeDone, Delivered, Disturbed, Event, Place, PowerCut, Violation

_DONE = frozenset({Acknowledge.ACCEPT, Acknowledge.REJECT, Acknowledge.GAP})
_Record = tuple[str, Place, int]


class SharedOnce:
    """`limit`: how often a record is delivered at most."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._done: dict[_Record, int] = {}
        self._counts: dict[_Record, list[tuple[int, int, str]]] = defaultdict(list)
        """When each delivery was received, how often the record had been delivered, and to whom."""
        self._kept: dict[_Record, list[tuple[int, int, str]]] = defaultdict(list)
        """The same of what was released, and that is written."""
        self._since = 0

    def take(self, event: Event) -> None:
        """Judge one event."""
        match event:
            case Delivered():
                self._delivered(event)
            case AcknowledgeDone(refused=False):
                self._acknowledged(event)
            case Disturbed(mark):
                self._since = mark
                self._counts.clear()
            case PowerCut(loses=True):
                self._done.clear()
                self._counts.clear()
                self._kept.clear()
            case _:
                pass

    def _acknowledged(self, done: AcknowledgeDone) -> None:
        for offset, kind in done.kinds.items():
            record = done.group, done.place, offset
            if kind in _DONE:
                self._done.setdefault(record, done.answered)
            elif kind is Acknowledge.RELEASE:
                counts = [count for _, count, who in self._counts[record] if who == done.owner]
                self._kept[record].append((done.answered, max(counts, default=0), done.owner))

    def _delivered(self, event: Delivered) -> None:
        if len(event.counts) > 1 and 2 < self._limit == max(event.counts.values()):
            raise Violation(f"the last delivery of some is not of one alone: {event}")
        for offset, count in event.counts.items():
            record = event.group, event.place, offset
            if self._done.get(record, event.mark) < event.mark:
                raise Violation(f"{record} was done with, and comes again: {event}")
            if not 1 <= count <= self._limit:
                raise Violation(f"{record} is delivered {count} times of {self._limit}")
            known = self._kept[record] + self._counts[record]
            before = max((one for answered, one, _ in known if answered < event.mark), default=0)
            if count <= before:
                raise Violation(f"{record}: delivery {before} and then {count}")
            if event.mark >= self._since:
                self._counts[record].append((event.answered, count, event.owner))
