"""SharedOnce: what a share group is done with is not delivered again; deliveries are counted.

A record's last delivery is of it alone: it takes no other with it. A restart may
forget deliveries of which no member has said anything.
"""

from collections import defaultdict

from barnabas.coordinators.share_partition.partition import Acknowledge
from sim.events import Delivered, Disturbed, Event, Place, PowerCut, Said, Violation

_DONE = frozenset({Acknowledge.ACCEPT, Acknowledge.REJECT, Acknowledge.GAP})
_Record = tuple[str, Place, int]


class SharedOnce:
    """`limit`: how often a record is delivered at most."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._done: dict[_Record, int] = {}
        self._counts: dict[_Record, list[tuple[int, int, str]]] = defaultdict(list)
        """When it was told, how often the record had been delivered, and to whom."""
        self._kept: dict[_Record, list[tuple[int, int, str]]] = defaultdict(list)
        """The same of what was released, and that is written."""
        self._since = 0

    def take(self, event: Event) -> None:
        """Judge one event."""
        match event:
            case Delivered():
                self._delivered(event)
            case Said(refused=False):
                self._said(event)
            case Disturbed(mark):
                self._since = mark
                self._counts.clear()
            case PowerCut(loses=True):
                self._done.clear()
                self._counts.clear()
                self._kept.clear()
            case _:
                pass

    def _said(self, said: Said) -> None:
        for offset, kind in said.kinds.items():
            record = said.group, said.place, offset
            if kind in _DONE:
                self._done.setdefault(record, said.told)
            elif kind is Acknowledge.RELEASE:
                counts = [count for _, count, who in self._counts[record] if who == said.owner]
                self._kept[record].append((said.told, max(counts, default=0), said.owner))

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
            before = max((one for told, one, _ in known if told < event.mark), default=0)
            if count <= before:
                raise Violation(f"{record}: delivery {before} and then {count}")
            if event.mark >= self._since:
                self._counts[record].append((event.told, count, event.owner))
