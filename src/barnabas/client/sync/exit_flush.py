"""Records still queued when a program ends: send them, or report that they are lost."""

import atexit
import logging
from concurrent.futures import wait
from contextlib import suppress
from typing import Final
from weakref import WeakSet

from barnabas.client.aio.producer.producer_core import ProducerCore
from barnabas.runtime.loops.portal import Portal

log = logging.getLogger(__name__)

PATIENCE_S: Final = 30.0
"""How long the end of the program waits for them; your own `close` may wait longer."""

_QUIET_S: Final = 2.0
_WHY: Final = "the program ended first; close() and flush() wait as long as necessary"


class UnsentRecords:
    """The records that a producer has queued, and the loop that sends them.

    It does not refer to the producer, which other exit code may still use.
    """

    def __init__(self, portal: Portal, core: ProducerCore) -> None:
        self.portal = portal
        self.core = core
        _lines.add(self)

    @property
    def waits(self) -> bool:
        """Whether there are records without an outcome, in this process."""
        return self.portal.here and bool(self.core.records.unsettled)


_lines: WeakSet[UnsentRecords] = WeakSet()


def _flush_all() -> None:
    """Send what was not flushed. An interruption gives up."""
    waiting = [line for line in list(_lines) if line.waits]
    with suppress(KeyboardInterrupt):
        flushes = [line.portal.begin(line.core.flush(None)) for line in waiting]
        late = wait(flushes, _QUIET_S).not_done
        if late:
            what = "the program waits up to %g s for records of producers that were not closed"
            log.warning(what, PATIENCE_S)
            wait(late, PATIENCE_S - _QUIET_S)
    for line in waiting:
        if line.waits:
            line.portal.call(_given_up(line.core))


async def _given_up(core: ProducerCore) -> None:
    core.drop(_WHY)


# Runs after non-daemon threads have ended, and after exit handlers registered later; the loops of
# producers still run.
atexit.register(_flush_all)
