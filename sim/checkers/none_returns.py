"""NoneReturns: a group that nobody is in has what was committed for it and not removed again."""

from sim.events import Event, Remembered, Violation


class NoneReturns:
    """Also across a restart: what is removed does not come back."""

    def take(self, event: Event) -> None:
        """Judge one event."""
        match event:
            case Remembered(group, kept, found):
                if found != kept:
                    raise Violation(f"{group} has {found} for {kept}")
            case _:
                pass
