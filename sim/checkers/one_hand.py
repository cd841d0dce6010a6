"""OneHand: a record that a member of a share group surely has for its own is nobody else's."""

from dataclasses import dataclass

from barnabas.coordinators.share_partition.partition import Acknowledge
from sim.events import (
    AcknowledgeDone,
    AcknowledgeSent,
    Delivered,
    Disturbed,
    Event,
    LetsGo,
    Place,
    PowerCut,
    Violation,
)


@dataclass(slots=True)
class _Hold:
    owner: str
    until: float
    is_reported: bool = False
    """Whether the member has begun to say what becomes of it."""


class OneHand:
    """From the delivery until it says something of it, goes, or its lock could end.

    Until then nobody else is given it, and what it says of it is taken.
    """

    def __init__(self) -> None:
        self._holds: dict[str, dict[tuple[Place, int], _Hold]] = {}
        self._since = 0

    def take(self, event: Event) -> None:
        """Judge one event."""
        match event:
            case Delivered():
                self._delivered(event)
            case AcknowledgeSent():
                for offset, kind in event.kinds.items():
                    hold = self._hold(event, offset)
                    if hold is not None and kind is not Acknowledge.RENEW:
                        hold.is_reported = True
            case AcknowledgeDone():
                self._acknowledged(event)
            case LetsGo(group, owner):
                holds = self._holds.get(group, {})
                self._holds[group] = {at: one for at, one in holds.items() if one.owner != owner}
            case Disturbed(mark):
                self._since = mark
                self._holds.clear()
            case PowerCut(loses=True):
                self._holds.clear()
            case _:
                pass

    def _hold(self, event: AcknowledgeSent | AcknowledgeDone, offset: int) -> _Hold | None:
        hold = self._holds.get(event.group, {}).get((event.place, offset))
        return hold if hold is not None and hold.owner == event.owner else None

    def _delivered(self, event: Delivered) -> None:
        if event.mark < self._since:
            return  # Acquired before, and given back by now.
        holds = self._holds.setdefault(event.group, {})
        for offset in event.counts:
            hold = holds.get((event.place, offset))
            is_sure = hold is not None and event.at < min(hold.until, event.until)
            if hold is not None and is_sure and hold.owner != event.owner and not hold.is_reported:
                raise Violation(f"{event.place} at {offset}: {hold} and {event}")
            holds[event.place, offset] = _Hold(event.owner, event.until)

    def _acknowledged(self, event: AcknowledgeDone) -> None:
        held = [self._hold(event, offset) for offset in event.kinds]
        if event.refused and all(one is not None and event.at < one.until for one in held):
            raise Violation(f"refused, though all of it is its own: {event}")
        for offset, kind in event.kinds.items():
            if kind is not Acknowledge.RENEW and self._hold(event, offset) is not None:
                del self._holds[event.group][event.place, offset]
