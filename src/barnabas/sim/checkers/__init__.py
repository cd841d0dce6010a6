"""What must hold, one small class each: each takes events and raises `Violation`."""

from typing import Protocol

from barnabas.sim.checkers.commits_stay import CommitsStay
from barnabas.sim.checkers.contents_stay import ContentsStay
from barnabas.sim.checkers.one_owner import OneOwner
from barnabas.sim.checkers.records_once import RecordsOnce
from barnabas.sim.checkers.whole_transactions import WholeTransactions
from barnabas.sim.checkers.zombies_fenced import ZombiesFenced
from barnabas.sim.events import Event


class Checker(Protocol):
    """One invariant."""

    def take(self, event: Event) -> None:
        """Judge one event.

        Raises:
            Violation: it must not happen.
        """
        ...


def all_checkers() -> list[Checker]:
    """One of each."""
    return [
        OneOwner(),
        ZombiesFenced(),
        CommitsStay(),
        ContentsStay(),
        RecordsOnce(),
        WholeTransactions(),
    ]
