"""What must hold, one small class each: each takes events and raises `Violation`."""

from typing import Protocol

from barnabas.sim.checkers.all_end import AllEnd
from barnabas.sim.checkers.commits_stay import CommitsStay
from barnabas.sim.checkers.contents_stay import ContentsStay
from barnabas.sim.checkers.copied_once import CopiedOnce
from barnabas.sim.checkers.epochs_grow import EpochsGrow
from barnabas.sim.checkers.none_returns import NoneReturns
from barnabas.sim.checkers.none_skipped import NoneSkipped
from barnabas.sim.checkers.offsets_whole import OffsetsWhole
from barnabas.sim.checkers.one_hand import OneHand
from barnabas.sim.checkers.one_holder import OneHolder
from barnabas.sim.checkers.one_owner import OneOwner
from barnabas.sim.checkers.one_role import OneRole
from barnabas.sim.checkers.one_topology import OneTopology
from barnabas.sim.checkers.records_once import RecordsOnce
from barnabas.sim.checkers.shared_once import SharedOnce
from barnabas.sim.checkers.whole_transactions import WholeTransactions
from barnabas.sim.checkers.zombies_fenced import ZombiesFenced
from barnabas.sim.events import Event
from barnabas.sim.scenario import Scenario


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
