"""The demo's terminal output: progress bars, then tables."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table
from rich.text import Text

from barnabas.demo.checking import HourTotals, MonthTotals
from barnabas.demo.plot import Hours, by_hour

_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
_NAMES = {"EWR": "Newark", "JFK": "Kennedy", "LGA": "LaGuardia"}


class _Parts(MofNCompleteColumn):
    """The number of completed parts, if there is more than one."""

    def render(self, task: Task) -> Text:
        return super().render(task) if task.total and task.total > 1 else Text()


class Bars:
    """One bar per step, with its duration; plain lines without a terminal."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._progress = Progress(
            SpinnerColumn(finished_text="[green]✓"),
            TextColumn("{task.description:<30}"),
            BarColumn(bar_width=20),
            _Parts(),
            TimeElapsedColumn(),
            console=console,
            disable=not console.is_terminal,
        )

    @contextmanager
    def shown(self) -> Iterator["Bars"]:
        """Draw the bars while the context lasts."""
        with self._progress:
            yield self

    @contextmanager
    def step(self, name: str, total: int = 1) -> Iterator["Step"]:
        """One step of `total` parts; it completes with the context.

        A step without parts has a pulsing bar.
        """
        known = total if total > 1 else None
        step = Step(self._progress, self._progress.add_task(name, total=known), total)
        yield step
        step.at(total)
        if not self._console.is_terminal:
            self._console.print(f"✓ {name}")


class Step:
    """A bar to advance."""

    def __init__(self, progress: Progress, task: TaskID, total: int) -> None:
        self._progress = progress
        self._task = task
        self._total = total

    def at(self, done: int) -> None:
        """Set the number of completed parts."""
        self._progress.update(self._task, total=self._total, completed=min(done, self._total))


def show_airports(console: Console, hours: Hours) -> None:
    """Print the delays topic by airport."""
    table = Table(title="Departures of 2013, from the topic departure-delays", title_justify="left")
    table.add_column("airport")
    for heading in ("flights", "cancelled", "mean delay", "best hour", "worst hour"):
        table.add_column(heading, justify="right")
    for origin, name in _NAMES.items():
        totals = [total for (place, _), total in hours.items() if place == origin]
        flights, departed = _sum(totals, "flights"), _sum(totals, "departed")
        course = sorted((late, hour) for hour, late in by_hour(hours, origin))
        (least, best), (most, worst) = course[0], course[-1]
        table.add_row(
            name,
            f"{flights:,}",
            f"{(flights - departed) / flights:.1%}",
            f"{_sum(totals, 'dep_delay') / departed:.1f} min",
            f"{best}:00, {round(least)} min",
            f"{worst}:00, {round(most)} min",
        )
    console.print(table)


def show_months(console: Console, months: Mapping[int, MonthTotals]) -> None:
    """Print the Parquet totals by month, which match the source."""
    table = Table(title="Parquet by month, equal to the source", title_justify="left")
    table.add_column("month")
    for heading in ("flights", "miles", "arrival delay, min"):
        table.add_column(heading, justify="right")
    table.add_column("")
    for month, totals in sorted(months.items()):
        numbers = (totals.flights, totals.distance, totals.arr_delay)
        table.add_row(_MONTHS[month - 1], *(f"{number:,}" for number in numbers), "[green]✓")
    console.print(table)


def _sum(totals: list[HourTotals], field: str) -> int:
    return sum(int(getattr(total, field)) for total in totals)
