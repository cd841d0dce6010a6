"""OffsetsWhole: a fetch returns offsets sent in a transaction if it committed, and only then.

`CommitsStay` checks that they are returned after the commit.
"""

from sim.events import Event, OffsetsEnded, Positions, Violation


class OffsetsWhole:
    """For groups that commit in transactions alone, in runs in which no power cut loses anything."""

    def __init__(self) -> None:
        self._sent: dict[str, dict[int, OffsetsEnded]] = {}

    def take(self, event: Event) -> None:
        """Judge one event."""
        match event:
            case OffsetsEnded(mark=mark, group=group):
                self._sent.setdefault(group, {})[mark] = event
            case Positions(group=group, positions=positions, is_stable=True):
                sent = self._sent.get(group, {}).values()
                for place, offset in positions.items():
                    may_count = {
                        one.positions.get(place) for one in sent if one.committed is not False
                    }
                    if offset >= 0 and offset not in may_count:
                        raise Violation(
                            f"{group} at {place}: {offset} was fetched, and not committed"
                        )
            case _:
                pass
