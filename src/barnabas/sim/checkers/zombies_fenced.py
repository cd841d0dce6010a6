"""ZombiesFenced: when a member has its part in a generation, commits of one before are refused."""

from barnabas.sim.events import Committed, Event, PowerCut, Synced, Violation


class ZombiesFenced:
    """Also across a restart: a generation that was told is written."""

    def __init__(self) -> None:
        self._synced: dict[str, list[tuple[int, int]]] = {}

    def take(self, event: Event) -> None:
        """Judge one event."""
        match event:
            case Synced(told=told, group=group, generation=generation):
                self._synced.setdefault(group, []).append((told, generation))
            case Committed(mark=mark, group=group, generation=generation):
                known = [one for at, one in self._synced.get(group, ()) if at < mark]
                if max(known, default=-1) > generation:
                    raise Violation(
                        f"{group} took a commit of generation {generation} in {max(known)}"
                    )
            case PowerCut(loses=True):
                self._synced.clear()
            case _:
                pass
