"""The progress of a migration, on a terminal only."""

import sys
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class MigrationProgress:
    """Use it in a `with`; it shows one bar at a time on stderr."""

    def __init__(self, *, quiet: bool) -> None:
        self._bars: Progress | None = None
        self._task: TaskID | None = None
        if not quiet and sys.stderr.isatty():
            self._bars = _bars()

    def __enter__(self) -> Self:
        if self._bars is not None:
            self._bars.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bars is not None:
            self._bars.stop()

    def begin(self, what: str, total: int) -> None:
        """Start a new bar of this many bytes or records."""
        if self._bars is not None:
            self._task = self._bars.add_task(what, total=total)

    def advance(self, count: int) -> None:
        """Add this many bytes or records."""
        if self._bars is not None and self._task is not None:
            self._bars.advance(self._task, count)


def _bars() -> "Progress":
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn
    from rich.text import Text

    class Rate(ProgressColumn):
        """Unknown before the first block."""

        def render(self, task: Task) -> Text:
            """In seconds."""
            speed = task.finished_speed or task.speed
            return Text("" if speed is None else f"{speed:,.0f}/s")

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:,} of {task.total:,}"),
        Rate(),
        console=Console(stderr=True),
    )
