"""OneOwner: in one generation of a group, a partition has one owner."""

from sim.events import Event, Place, PowerCut, Synced, Violation


class OneOwner:
    """Members receive a generation only once it is written, so a kill does not reuse it."""

    def __init__(self) -> None:
        self._owners: dict[tuple[str, int, Place], str] = {}

    def take(self, event: Event) -> None:
        """Judge one event."""
        match event:
            case Synced(group=group, generation=generation, owner=owner):
                for place in event.places:
                    known = self._owners.setdefault((group, generation, place), owner)
                    if known != owner:
                        raise Violation(
                            f"{place} of {group}, generation {generation}: {known} and {owner}"
                        )
            case PowerCut(loses=True):
                # The generations that are lost will be counted again.
                self._owners.clear()
            case _:
                pass
