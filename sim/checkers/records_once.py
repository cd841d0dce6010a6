"""RecordsOnce: what was acknowledged is there, once, and what a producer sent is in its order.

A power cut may take what was not flushed: the end, or the end of one segment while a later one is
there. Offsets missing before others that are there are then given to nothing else.
"""

from collections.abc import Mapping

from sim.events import (
    Acknowledged,
    Event,
    Place,
    PowerCut,
    ProducerRefused,
    Violation,
    WholeLog,
)


class RecordsOnce:
    """Judges at the end; values are `producer.partition.number`."""

    def __init__(self) -> None:
        self._acknowledged: dict[Place, list[list[tuple[int, bytes]]]] = {}
        """Between one cut that loses and the next: offsets and values."""

    def take(self, event: Event) -> None:
        """Judge one event."""
        match event:
            case Acknowledged(_, place, base, values):
                spans = self._acknowledged.setdefault(place, [[]])
                spans[-1] += enumerate(values, base)
            case ProducerRefused(who, error):
                raise Violation(f"{who} was refused: {error}")
            case PowerCut(loses=True):
                for spans in self._acknowledged.values():
                    spans.append([])
            case WholeLog(place, values):
                self._judge(place, values)
            case _:
                pass

    def _judge(self, place: Place, log: Mapping[int, bytes]) -> None:
        last: dict[bytes, int] = {}
        for offset in sorted(log):
            producer, _, number = log[offset].rpartition(b".")
            if int(number) <= last.get(producer, -1):
                raise Violation(
                    f"{place} at {offset}: {log[offset]!r} behind number {last[producer]}"
                )
            last[producer] = int(number)
        spans = self._acknowledged.get(place, [[]])
        for span in spans[:-1]:
            _check_gaps(place, sorted(span), log)
        for offset, value in spans[-1]:
            if log.get(offset) != value:
                raise Violation(f"{place} at {offset}: {value!r} acknowledged, {log.get(offset)!r}")


def _check_gaps(place: Place, span: list[tuple[int, bytes]], log: Mapping[int, bytes]) -> None:
    there = [offset for offset, value in span if log.get(offset) == value]
    for offset, value in span:
        if there and offset < there[-1] and log.get(offset, value) != value:
            other = log[offset]
            raise Violation(f"{place} at {offset}: {value!r} became {other!r}, and later ones stay")
