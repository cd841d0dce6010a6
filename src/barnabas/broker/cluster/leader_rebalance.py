"""LeaderRebalance: periodically returns leadership to preferred replicas."""

import logging
from typing import Final, NamedTuple

from barnabas.broker.cluster.controller_changes import ControllerEvents
from barnabas.broker.purgatory.stepping import Steps
from barnabas.cluster.elections import imbalanced
from barnabas.cluster.events import PreferredElection
from barnabas.cluster.request_parts import some_at_a_time
from barnabas.config.broker import BrokerConfig
from barnabas.ports import Timer, Timers

log = logging.getLogger(__name__)

_FIRST_SECONDS: Final = 5.0
"""How long a new controller waits before its first check, as in Kafka."""


class Balance(NamedTuple):
    """The tolerated imbalance in percent, and the interval of checks in seconds; 0: no checks."""

    seconds: float = 0
    percentage: int = 10


def balance_of(config: BrokerConfig) -> Balance:
    """From `auto.leader.rebalance.enable` and `leader.imbalance.*`."""
    is_on = config.auto_leader_rebalance_enable
    seconds = config.leader_imbalance_check_interval_seconds if is_on else 0
    return Balance(seconds, config.leader_imbalance_per_broker_percentage)


class LeaderRebalance:
    """The periodic checks during one term of a controller."""

    def __init__(self, balance: Balance, timers: Timers, controller: ControllerEvents) -> None:
        self._balance = balance
        self._timers = timers
        self._controller = controller
        self._next: Timer | None = None

    def begin(self) -> None:
        """Start the checks."""
        seconds = self._balance.seconds
        if seconds:
            self._plan(min(seconds, _FIRST_SECONDS))

    def end(self) -> None:
        """Stop the checks."""
        if self._next is not None:
            self._next.cancel()

    def _plan(self, seconds: float) -> None:
        self._next = self._timers.after(seconds, self._look)

    def _look(self) -> None:
        self._plan(self._balance.seconds)
        self._controller.attempt(self._elect)

    def _elect(self) -> Steps[None]:
        found = imbalanced(self._controller.view, self._balance.percentage)
        if found:
            log.info("electing preferred leaders", extra={"partitions": len(found)})
            for some in some_at_a_time(found):
                yield from self._controller.take(PreferredElection(some))
