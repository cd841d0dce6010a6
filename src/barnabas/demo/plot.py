"""The picture of the demo: delays at New York's airports by hour, through 2013."""

from collections.abc import Iterator, Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from barnabas.demo.checking import HourTotals

_HERE = ZoneInfo("America/New_York")
_AIRPORTS = {
    "EWR": ("Newark", "#d1495b"),
    "JFK": ("Kennedy", "#2e86ab"),
    "LGA": ("LaGuardia", "#5b8c5a"),
}
_NEW_YEAR = date(2013, 1, 1)
_DAYS = 365
_HOURS = range(5, 24)
_RANGE_MINUTES = (-5, 60)
_INK, _PAPER, _FAINT, _NO_FLIGHT = "#22262b", "#fbfaf7", "#85857f", "#dddad2"

Hours = Mapping[tuple[str, str], HourTotals]


def draw(hours: Hours, target: Path) -> None:
    """Write a PNG: for each airport a map of days and hours, and below them the course of a day."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(13, 10), facecolor=_PAPER)
    grid = figure.add_gridspec(
        5,
        2,
        height_ratios=[1, 1, 1, 0.06, 1.1],
        width_ratios=[70, 1],
        hspace=0.27,
        wspace=0.03,
        left=0.07,
        right=0.93,
        top=0.865,
        bottom=0.065,
    )
    image = None
    for row, (origin, (name, colour)) in enumerate(_AIRPORTS.items()):
        axes = figure.add_subplot(grid[row, 0])
        image = _draw_map(axes, day_by_hour(hours, origin), months=row == 2)
        axes.set_title(name, loc="left", fontsize=13, color=colour, weight="bold", pad=5)
    bar = figure.colorbar(image, cax=figure.add_subplot(grid[:3, 1]), extend="max")
    bar.outline.set_visible(False)
    bar.set_label("mean delay in minutes; grey: nothing left", color=_INK, fontsize=10)
    bar.ax.tick_params(colors=_INK, labelsize=9, length=0)
    _draw_day(figure.add_subplot(grid[4, 0]), hours)
    _write_title(figure, hours)
    figure.savefig(target, dpi=130, facecolor=_PAPER)
    plt.close(figure)


def day_by_hour(hours: Hours, origin: str) -> list[list[float]]:
    """Mean delays in minutes, one row for each hour of `_HOURS`, one column for each day."""
    cells = [[float("nan")] * _DAYS for _ in _HOURS]
    for day, hour, total in _local(hours, origin):
        if total.departed and hour in _HOURS:
            cells[hour - _HOURS.start][day] = total.dep_delay / total.departed
    return cells


def by_hour(hours: Hours, origin: str) -> list[tuple[int, float]]:
    """Hour of the day and mean delay of all its departures in the year."""
    late, departed = dict.fromkeys(_HOURS, 0), dict.fromkeys(_HOURS, 0)
    for _, hour, total in _local(hours, origin):
        if hour in _HOURS:
            late[hour] += total.dep_delay
            departed[hour] += total.departed
    return [(hour, late[hour] / departed[hour]) for hour in _HOURS if departed[hour] > 100]


def _local(hours: Hours, origin: str) -> Iterator[tuple[int, int, HourTotals]]:
    """Day of the year (from 0) and hour by New York's clocks."""
    for (place, utc), total in hours.items():
        if place == origin:
            local = datetime.fromisoformat(utc).astimezone(_HERE)
            yield (local.date() - _NEW_YEAR).days, local.hour, total


def _draw_map(axes: Any, cells: list[list[float]], *, months: bool) -> object:
    low, high = _RANGE_MINUTES
    image = axes.imshow(
        cells,
        aspect="auto",
        origin="lower",
        cmap="inferno",
        vmin=low,
        vmax=high,
        extent=(0, _DAYS, _HOURS.start, _HOURS.stop),
        interpolation="nearest",
    )
    _bare(axes)
    axes.set_facecolor(_NO_FLIGHT)
    axes.set_yticks([6, 12, 18], ["6:00", "12:00", "18:00"])
    starts = [(date(2013, month, 1) - _NEW_YEAR).days for month in range(1, 13)]
    for start in starts[1:]:
        axes.axvline(start, color=_PAPER, linewidth=0.6, alpha=0.5)
    names = [f"{date(2013, month, 1):%b}" for month in range(1, 13)] if months else []
    axes.set_xticks([start + 15 for start in starts] if months else [], names)
    return image


def _draw_day(axes: Any, hours: Hours) -> None:
    for origin, (name, colour) in _AIRPORTS.items():
        course = by_hour(hours, origin)
        if not course:
            continue
        axes.plot(
            *zip(*course, strict=True),
            color=colour,
            linewidth=2.4,
            marker="o",
            markersize=4,
            label=name,
        )
    _bare(axes)
    axes.axhline(0, color=_FAINT, linewidth=0.8)
    axes.grid(axis="y", color="#dedcd5", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.legend(
        frameon=False,
        labelcolor="linecolor",
        fontsize=11,
        handlelength=1.2,
        ncols=3,
        loc="lower right",
        bbox_to_anchor=(1, 1),
        borderaxespad=0,
    )
    axes.set_xlim(_HOURS.start - 0.2, _HOURS.stop - 0.8)
    axes.set_xticks(range(6, 24, 3), [f"{hour}:00" for hour in range(6, 24, 3)])
    axes.set_title(
        "The course of a day: minutes late, by scheduled hour",
        loc="left",
        fontsize=13,
        color=_INK,
        weight="bold",
        pad=8,
    )
    axes.yaxis.set_major_formatter("{x:.0f}")


def _write_title(figure: Any, hours: Hours) -> None:
    flights = sum(total.flights for total in hours.values())
    figure.text(
        0.07, 0.942, "How late New York left in 2013", fontsize=22, color=_INK, weight="bold"
    )
    figure.text(
        0.07,
        0.907,
        f"{flights:,} flights by day and scheduled hour: sent to Barnabas one by one, averaged by "
        "PySpark, read back from a topic.",
        fontsize=11.5,
        color=_FAINT,
    )


def _bare(axes: Any) -> None:
    axes.set_facecolor(_PAPER)
    axes.tick_params(colors=_INK, labelsize=9.5, length=0)
    for side in axes.spines.values():
        side.set_visible(False)
