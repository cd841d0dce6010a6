"""Acknowledged records: each is in the log for good, once, in the order of its producer."""

from collections.abc import Mapping

from sim.events import Acknowledged, Event, Place, ProducerRefused, Violation


class AcknowledgedStay:
    """Judges at the end, by what is in the logs; values are `producer.partition.number`."""

    def __init__(self) -> None:
        self._acknowledged: dict[Place, dict[int, bytes]] = {}

    def take(self, event: Event) -> None:
        """Note what was promised."""
        match event:
            case Acknowledged(place=place, base_offset=base, values=values):
                known = self._acknowledged.setdefault(place, {})
                for offset, value in enumerate(values, base):
                    if known.setdefault(offset, value) != value:
                        raise Violation(f"{place} at {offset}: {known[offset]!r} and {value!r}")
            case ProducerRefused(who, error):
                raise Violation(f"{who} was refused: {error}")
            case _:
                pass

    def judge(self, place: Place, log: Mapping[int, bytes]) -> None:
        """Compare with the whole log of a partition."""
        for offset, value in self._acknowledged.get(place, {}).items():
            if log.get(offset) != value:
                raise Violation(f"{place} at {offset}: {value!r} acknowledged, {log.get(offset)!r}")
        last: dict[bytes, int] = {}
        for offset in sorted(log):
            producer, _, number = log[offset].rpartition(b".")
            if producer.startswith(b"producer"):
                if int(number) != last.get(producer, -1) + 1:
                    raise Violation(f"{place} at {offset}: {log[offset]!r} behind {last}")
                last[producer] = int(number)
