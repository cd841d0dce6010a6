"""What must hold, one small class each: each takes events and raises `Violation`."""

from typing import Protocol

from sim.checkers.all_end import AllEnd
from sim.checkers.commits_stay import CommitsStay
from sim.checkers.contents_stay import ContentsStay
from sim.checkers.copied_once import CopiedOnce
from sim.checkers.epochs_grow import EpochsGrow
from sim.checkers.none_returns import NoneReturns
from sim.checkers.none_skipped import NoneSkipped
from sim.checkers.offsets_whole import OffsetsWhole
from sim.checkers.one_hand import OneHand
from sim.checkers.one_holder import OneHolder
from sim.checkers.one_owner import OneOwner
from sim.checkers.one_role import OneRole
from sim.checkers.one_topology import OneTopology
from sim.checkers.records_once import RecordsOnce
from sim.checkers.shared_once import SharedOnce
from sim.checkers.whole_transactions import WholeTransactions
from sim.checkers.zombies_fenced import ZombiesFenced
from sim.events import Event
from sim.scenario import Scenario


class Checker(Protocol):
    """One invariant."""

    def take(self, event: Event) -> None:
        """Judge one event.

        Raises:
            Violation: it must not happen.
        """
        ...


def all_checkers(scenario: Scenario) -> list[Checker]:
    """One of each."""
    return [
        OneOwner(),
        OneHolder(),
        OneRole(),
        OneTopology(),
        AllEnd(),
        EpochsGrow(),
        ZombiesFenced(),
        CommitsStay(),
        NoneReturns(),
        ContentsStay(),
        RecordsOnce(),
        WholeTransactions(),
        OffsetsWhole(),
        CopiedOnce(),
        SharedOnce(scenario.deliveries),
        OneHand(),
        NoneSkipped(scenario.deliveries if scenario.sharers else 0),
    ]
