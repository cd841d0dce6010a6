"""ControllerElection: which broker is the controller: the one that makes the node /controller.

With it, in one transaction, /controller_epoch grows: whoever was the controller before cannot write any
more, as each of its writes checks the version of that node.

Source: Kafka's KafkaZkClient.registerControllerAndIncrementControllerEpoch.
"""

import logging
from collections.abc import Callable
from typing import NamedTuple

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
    """A controller's time: its epoch, and the version that the node of it has meanwhile."""

    epoch: int
    node_version: int


class ControllerElection:
    """One broker's candidacy. `on_elected` and `on_over` are called by turns."""

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

    def start(self) -> None:
        """Stand for election now, and whenever there is no controller."""
        self._end_watch = self._registry.watch(CONTROLLER, self.look)
        self._registry.on_new_session(self.look)
        self.look()

    def stop(self) -> None:
        """Resign, and stand no more. The node goes with the session."""
        self._is_stopped = True
        if self._end_watch is not None:
            self._end_watch()
        self._resign()

    def look(self) -> None:
        """See who is the controller, and be it if nobody is."""
        if self._again is not None:
            self._again.cancel()
            self._again = None
        if self._is_stopped:
            return
        try:
            self._look()
        except StorageError as error:
            log.warning("not known who is the controller", extra={"error": error})
            self._again = self._timers.after(_AGAIN_SECONDS, self.look)

    def _look(self) -> None:
        is_there = self._registry.get(CONTROLLER) is not None
        is_mine = is_there and self._registry.is_mine(CONTROLLER)
        if self._term is not None:
            if is_mine and self._is_current(self._term):
                return
            self._resign()
        if is_mine:
            # Made by an attempt whose answer was lost, or of a term that ended: of no epoch.
            self._registry.delete(CONTROLLER)
        elif is_there:
            return
        self._stand()

    def _is_current(self, term: Term) -> bool:
        found = self._registry.get(CONTROLLER_EPOCH)
        return found is not None and found[1] == term.node_version

    def _stand(self) -> None:
        found = self._registry.get(CONTROLLER_EPOCH)
        epoch, before = (next_epoch(found[0]), found[1]) if found else (1, MUST_BE_NEW)
        node = encode_controller(self._node_id, self._clock.time_ms())
        try:
            self._registry.commit(
                [
                    NodeWrite(CONTROLLER, node, MUST_BE_NEW, ephemeral=True),
                    NodeWrite(CONTROLLER_EPOCH, b"%d" % epoch, before),
                ]
            )
        except RegistryConflict:
            # Somebody was quicker. Where its node is gone again already, no watch says so.
            self._again = self._timers.after(_AGAIN_SECONDS, self.look)
            return
        self._term = Term(epoch, before + 1 if found else 0)
        log.info("controller elected", extra={"node": self._node_id, "epoch": epoch})
        self._on_elected(self._term)

    def _resign(self) -> None:
        if self._term is not None:
            log.info("controller resigns", extra={"epoch": self._term.epoch})
            self._term = None
            self._on_over()
