"""ContentsStay: an offset that somebody has read holds the same record for ever; the end never goes back."""

from sim.events import Event, Fetched, Place, PowerCut, Violation, WholeLog


class ContentsStay:
    """Readers see what counts, so that no kill takes it back."""

    def __init__(self) -> None:
        self._seen: dict[Place, dict[int, bytes]] = {}

    def take(self, event: Event) -> None:
        """Judge one event."""
        match event:
            case Fetched(place=place, values=values):
                known = self._seen.setdefault(place, {})
                for offset, value in values.items():
                    if known.setdefault(offset, value) != value:
                        raise Violation(f"{place} at {offset}: {known[offset]!r}, then {value!r}")
            case WholeLog(place, values):
                for offset, value in self._seen.get(place, {}).items():
                    if values.get(offset) != value:
                        raise Violation(f"{place} at {offset}: {value!r} was read and is gone")
            case PowerCut(loses=True):
                self._seen.clear()
            case _:
                pass
