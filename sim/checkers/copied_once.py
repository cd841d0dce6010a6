"""CopiedOnce: a copy made in transactions has each record that counts, once, in its order."""

from collections.abc import Sequence

from sim.events import Event, Place, Violation, WholeCopy, WholeLog


class CopiedOnce:
    """Judges at the end."""

    def __init__(self) -> None:
        self._sources: dict[Place, Sequence[bytes]] = {}

    def take(self, event: Event) -> None:
        """Judge one event."""
        match event:
            case WholeLog(place=place, committed=committed):
                self._sources[place] = [committed[offset] for offset in sorted(committed)]
            case WholeCopy(place, values):
                source = self._sources[place]
                if list(values) != source:
                    at = next(
                        (n for n, (a, b) in enumerate(zip(source, values, strict=False)) if a != b),
                        min(len(source), len(values)),
                    )
                    raise Violation(
                        f"the copy of {place} has {len(values)} of {len(source)} records, and"
                        f" {values[at : at + 1]} for {source[at : at + 1]} as number {at}"
                    )
            case _:
                pass
