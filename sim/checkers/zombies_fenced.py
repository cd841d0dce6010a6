"""ZombiesFenced: when a member has its part in a generation, commits of one before are refused.

In a group with consumer members: when another one has the partition in a later epoch (KIP-1251).
"""

from sim.events import Committed, Event, PowerCut, Synced, Violation


class ZombiesFenced:
    """Also across a restart: a generation that a member received is written."""

    def __init__(self) -> None:
        self._synced: dict[str, list[Synced]] = {}

    def take(self, event: Event) -> None:
        """Judge one event."""
        match event:
            case Synced(group=group):
                self._synced.setdefault(group, []).append(event)
            case Committed(group=group, generation=generation):
                later = [
                    one
                    for one in self._synced.get(group, ())
                    if one.answered < event.mark
                    and one.generation > generation
                    and (not event.by_place or _has_taken_over(one, event))
                ]
                if later:
                    raise Violation(f"{group} took {event} after {later[-1]}")
            case PowerCut(loses=True):
                self._synced.clear()
            case _:
                pass


def _has_taken_over(synced: Synced, committed: Committed) -> bool:
    is_another = synced.owner != committed.owner
    return is_another and any(place in committed.positions for place in synced.places)
