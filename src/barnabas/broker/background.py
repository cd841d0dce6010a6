"""Background: jobs that come back, on the loop's timers. One that fails is logged and comes back."""

import logging
from collections.abc import Callable

from barnabas.ports import Timer, Timers

log = logging.getLogger(__name__)


class Background:
    """The periodic jobs of a broker."""

    def __init__(self, timers: Timers) -> None:
        self._timers = timers
        self._running: dict[str, Timer] = {}

    def every(self, seconds: float, name: str, job: Callable[[], None]) -> None:
        """Run `job` `seconds` after its last run ended, until `stop`."""

        def run() -> None:
            try:
                job()
            except Exception:
                log.exception("background job failed", extra={"job": name, "again_in_s": seconds})
            if name in self._running:
                self._running[name] = self._timers.after(seconds, run)

        self._running[name] = self._timers.after(seconds, run)

    def stop(self) -> None:
        """Run none of them again."""
        running, self._running = self._running, {}
        for timer in running.values():
            timer.cancel()
