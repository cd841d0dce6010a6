"""WholeTransactions: read_committed shows a committed transaction whole and of any other nothing.

What such a reader has seen is there at the end: nothing that is aborted was seen meanwhile.
"""

from collections.abc import Mapping

from sim.events import (
    Event,
    Fetched,
    Place,
    PowerCut,
    TransactionEnded,
    Violation,
    WholeLog,
)


class WholeTransactions:
    """Judges at the end. Only for runs in which no power cut loses anything."""

    def __init__(self) -> None:
        self._transactions: dict[int, TransactionEnded] = {}
        self._seen: dict[Place, dict[int, bytes]] = {}
        self._logs: dict[Place, frozenset[bytes]] = {}

    def take(self, event: Event) -> None:
        """Judge one event."""
        match event:
            case TransactionEnded(mark=mark):
                self._transactions[mark] = event
            case Fetched(place=place, values=values, is_committed=True):
                self._seen.setdefault(place, {}).update(values)
            case WholeLog(place=place, committed=committed):
                self._check_seen(place, committed)
                self._logs[place] = frozenset(committed.values())
                for one in self._transactions.values():
                    self._check_whole(one)
            case PowerCut(loses=True):
                self._seen.clear()
            case _:
                pass

    def _check_seen(self, place: Place, committed: Mapping[int, bytes]) -> None:
        for offset, value in self._seen.get(place, {}).items():
            if committed.get(offset) != value:
                raise Violation(f"{place} at {offset}: {value!r} was seen, and does not count")

    def _check_whole(self, ended: TransactionEnded) -> None:
        """As soon as the last of its partitions is known."""
        if not ended.sent.keys() <= self._logs.keys():
            return
        there = [
            value in self._logs[place] for place, values in ended.sent.items() for value in values
        ]
        expected = {True: {True}, False: {False}, None: {there[0]} if there else set()}
        if set(there) - expected[ended.committed]:
            raise Violation(
                f"{ended.who}: {sum(there)} of {len(there)} records count of a transaction"
                f" with the outcome {ended.committed}: {ended.sent}"
            )
