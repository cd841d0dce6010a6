"""Background: periodic and one-time jobs on the loop's timers. A failing job is logged and runs again.

A job may give steps: each turn of the loop makes one, so that clients are served between them.
"""

import logging
from collections.abc import Callable, Iterator

from barnabas.ports import Timer, Timers

log = logging.getLogger(__name__)

Job = Callable[[], Iterator[object] | None]


class Background:
    """The periodic jobs of a broker."""

    def __init__(self, timers: Timers) -> None:
        self._timers = timers
        self._running: dict[str, Timer] = {}

    def once(self, name: str, job: Job) -> None:
        """Run `job` in the next turn of the loop; `stop` ends it."""
        self._plan(0.0, name, job, comes_back=False)

    def every(self, seconds: float, name: str, job: Job) -> None:
        """Run `job` `seconds` after its last run ended, until `stop`."""
        self._plan(seconds, name, job, comes_back=True)

    def _plan(self, seconds: float, name: str, job: Job, *, comes_back: bool) -> None:
        def run() -> None:
            step(_steps_of(job))

        def step(steps: Iterator[object]) -> None:
            if name not in self._running:
                return
            try:
                for _ in steps:
                    self._timers.soon(lambda: step(steps))
                    return
            except Exception:
                again = seconds if comes_back else None
                log.exception("background job failed", extra={"job": name, "again_in_s": again})
            if not comes_back:
                self._running.pop(name, None)
            elif name in self._running:
                self._running[name] = self._timers.after(seconds, run)

        self._running[name] = self._timers.after(seconds, run)

    def stop(self) -> None:
        """Run none of them again."""
        running, self._running = self._running, {}
        for timer in running.values():
            timer.cancel()


def _steps_of(job: Job) -> Iterator[object]:
    yield from job() or ()
