"""ControllerElection: elects the broker that creates the node /controller.

The same transaction increments /controller_epoch. The previous controller cannot write any more, because
each of its writes checks the version of that node.

Source: Kafka's KafkaZkClient.registerControllerAndIncrementControllerEpoch.
"""

import logging
from collections.abc import Callable
from typing import NamedTuple

from barnabas.broker.purgatory.registry_calls import StepQueue, ask
from barnabas.broker.purgatory.stepping import Steps
from barnabas.broker.znodes.broker_znodes import (
    CONTROLLER,
    CONTROLLER_EPOCH,
    encode_controller,
    next_epoch,
)
from barnabas.errors import RegistryConflict, StorageError
from barnabas.ports import Clock, SharedRegistry, Timer, Timers
from barnabas.types import MUST_BE_NEW, NodeId, NodeWrite

log = logging.getLogger(__name__)

_AGAIN_SECONDS = 1.0


class Term(NamedTuple):
    """A term of a controller: its epoch, and the version of the node /controller_epoch during it."""

    epoch: int
    node_version: int


class ControllerElection:
    """One broker's candidacy. `on_elected` and `on_over` are called alternately."""

    def __init__(
        self,
        node_id: NodeId,
        registry: SharedRegistry,
        clock: Clock,
        timers: Timers,
        on_elected: Callable[[Term], None],
        on_over: Callable[[], None],
    ) -> None:
        self._node_id = node_id
        self._registry = registry
        self._clock = clock
        self._timers = timers
        self._on_elected = on_elected
        self._on_over = on_over
        self._term: Term | None = None
        self._again: Timer | None = None
        self._end_watch: Callable[[], None] | None = None
        self._is_stopped = False
        self._looks = StepQueue()

    def start(self) -> None:
        """Stand for election now, and again whenever there is no controller."""
        self._end_watch = self._registry.watch(CONTROLLER, self.look)
        self._registry.on_new_session(self.look)
        self.look()

    def stop(self) -> None:
        """Resign, and do not stand again. The node is deleted with the session."""
        self._is_stopped = True
        if self._end_watch is not None:
            self._end_watch()
        self._resign()

    def look(self) -> None:
        """Find the controller; stand for election if there is none."""
        if self._again is not None:
            self._again.cancel()
            self._again = None
        self._looks.put(self._look())

    def _look(self) -> Steps[None]:
        if self._is_stopped:
            return
        try:
            yield from self._look_and_stand()
        except StorageError as error:
            log.warning("could not find out who is the controller", extra={"error": error})
            self._plan()

    def _look_and_stand(self) -> Steps[None]:
        registry, term = self._registry, self._term
        found: _Found = yield ask(registry, lambda: _find(registry))
        if term is not None and term is self._term:
            if found.is_mine and found.epoch is not None and found.epoch[1] == term.node_version:
                return
            self._resign()
        if found.is_there and not found.is_mine:
            return
        node = encode_controller(self._node_id, self._clock.time_ms())
        elected: Term | None = yield ask(registry, lambda: _stand(registry, node))
        if self._is_stopped:
            return
        if elected is None:
            # Another broker was faster. If its node is gone already, no watch reports that.
            self._plan()
            return
        self._term = elected
        log.info("controller elected", extra={"node": self._node_id, "epoch": elected.epoch})
        self._on_elected(elected)

    def _plan(self) -> None:
        if self._again is None and not self._is_stopped:
            self._again = self._timers.after(_AGAIN_SECONDS, self.look)

    def _resign(self) -> None:
        if self._term is not None:
            log.info("controller resigns", extra={"epoch": self._term.epoch})
            self._term = None
            self._on_over()


class _Found(NamedTuple):
    """Whether /controller exists, whether it is this broker's, and the epoch's data and version."""

    is_there: bool
    is_mine: bool
    epoch: tuple[bytes, int] | None


def _find(registry: SharedRegistry) -> _Found:
    is_there = registry.get(CONTROLLER) is not None
    is_mine = is_there and registry.is_mine(CONTROLLER)
    return _Found(is_there, is_mine, registry.get(CONTROLLER_EPOCH))


def _stand(registry: SharedRegistry, node: bytes) -> Term | None:
    """Stand for election; return the term, or None if another broker was elected."""
    if registry.is_mine(CONTROLLER):
        # From an attempt whose response was lost, or from a term that has ended.
        registry.delete(CONTROLLER)
    found = registry.get(CONTROLLER_EPOCH)
    epoch, before = (next_epoch(found[0]), found[1]) if found else (1, MUST_BE_NEW)
    try:
        registry.commit(
            [
                NodeWrite(CONTROLLER, node, MUST_BE_NEW, ephemeral=True),
                NodeWrite(CONTROLLER_EPOCH, b"%d" % epoch, before),
            ]
        )
    except RegistryConflict:
        return None
    return Term(epoch, before + 1 if found else 0)
