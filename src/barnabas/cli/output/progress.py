"""Progress of what lasts more than two seconds: bars with rate and time left, on a terminal only."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

Unit = Literal["records", "bytes"]

_PATIENCE_S: Final = 2.0
"""A step that ends sooner shows no bar."""


class ProgressBars:
    """One bar for each step on stderr. Where it is not `watched`, all calls do nothing.

    Nothing is drawn before `show`, which may be called on another thread.
    """

    def __init__(self, *, watched: bool, unit: Unit) -> None:
        self.watched = watched
        self._unit = unit
        self._lock = threading.Lock()
        self._bars: Progress | None = None
        self._tasks: dict[str, TaskID] = {}
        self._step = ""
        self._done = 0
        self._total: int | None = None

    def begin(self, step: str, total: int | None, *, unit: Unit | None = None) -> None:
        """Start a new bar of this many records or bytes; None: the number is unknown."""
        with self._lock:
            self._step, self._done, self._total = step, 0, total
            self._unit = unit or self._unit
            self._update()

    def advance(self, count: int) -> None:
        """Add this many records or bytes."""
        if self.watched:
            self.reach(self._done + count, self._total)

    def reach(self, done: int, total: int | None, step: str = "") -> None:
        """Set what is done of how many; a new name continues the same bar."""
        with self._lock:
            if step and self._step in self._tasks:
                self._tasks[step] = self._tasks[self._step]
            self._step, self._done, self._total = step or self._step, done, total
            self._update()

    def show(self) -> None:
        """Draw the present step, and all that follows."""
        with self._lock:
            if self.watched and self._bars is None:
                self._bars = _started()
                self._update()

    def close(self) -> None:
        """Leave the bars as they are."""
        with self._lock:
            self.watched = False
            if self._bars is not None:
                self._bars.stop()

    def _update(self) -> None:
        if self._bars is None or not self._step:
            return
        if self._step not in self._tasks:
            task = self._bars.add_task(self._step, total=self._total, unit=self._unit)
            self._tasks[self._step] = task
        self._bars.update(
            self._tasks[self._step],
            description=self._step,
            completed=self._done,
            total=self._total,
        )


@contextmanager
def progress_bars(*, quiet: bool, unit: Unit) -> Iterator[ProgressBars]:
    """Bars until the block ends; none if `quiet`, if stderr is no terminal, or if it ends soon."""
    bars = ProgressBars(watched=not quiet and sys.stderr.isatty(), unit=unit)
    timer = threading.Timer(_PATIENCE_S, bars.show)
    timer.daemon = True
    if bars.watched:
        timer.start()
    try:
        yield bars
    finally:
        timer.cancel()
        bars.close()


def _started() -> "Progress":
    from rich.console import Console
    from rich.filesize import decimal
    from rich.progress import (
        BarColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    def counted(count: float, unit: Unit) -> str:
        return decimal(round(count)) if unit == "bytes" else f"{count:,.0f}"

    class Count(ProgressColumn):
        """The number done, and the total."""

        def render(self, task: Task) -> Text:
            """In the unit of the task."""
            done = counted(task.completed, task.fields["unit"])
            if task.total is None:
                return Text(done)
            return Text(f"{done} of {counted(task.total, task.fields['unit'])}")

    class Rate(ProgressColumn):
        """Unknown before the second update."""

        def render(self, task: Task) -> Text:
            """Per second."""
            speed = task.finished_speed or task.speed
            return Text("" if speed is None else f"{counted(speed, task.fields['unit'])}/s")

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), Count(), Rate())
    left = TimeRemainingColumn(elapsed_when_finished=True)
    # Lines printed meanwhile go above the bars, but never into them if stdout is a file.
    above = sys.stdout.isatty()
    bars = Progress(*columns, left, console=Console(stderr=True), redirect_stdout=above)
    bars.start()
    return bars
