from pathlib import Path

import pytest

from benchmarks.report.conditions import Run
from benchmarks.report.result import Result
from benchmarks.report.store import Store
from benchmarks.report.tables import BEGIN, END, put_into, render

RUN = Run("make bench", "2026-11-27", "a1", "Python 3.11", "a machine", "9 rounds")


def store(*results: Result) -> Store:
    found = Store()
    found.put(RUN, results)
    return found


def test_floor_and_kafka_stand_in_one_line() -> None:
    floor = Result("requests", "ping", "µs", (3.0,), (2.0,), "floor", 1.5)
    kafka = Result("requests", "ping", "µs", (3.0,), (10.0,), "Kafka 4.3.0", 0.25)
    lines = render(store(floor, kafka)).splitlines()
    (line,) = [line for line in lines if line.startswith("| ping")]
    assert line == (
        "| ping | µs | 3 / 3 | 2 / 2 | 10 / 10 | 1.50x | **0.30x** | ≤ 1.5x, ≤ 0.25x | 1 |"
    )
    assert "1 of 2 goals are met. Missed:" in lines
    assert "- requests: ping 0.30x for ≤ 0.25x of Kafka 4.3.0" in lines


def test_other_groups_have_a_line_for_each_peer() -> None:
    row = Result("records", "decode", "M records/s", (4.0, 5.0, 6.0), target=9, better="higher")
    beside = Result("records", "decode", "M records/s", (4.0,), (2.0,), "aiokafka", 1, "higher")
    lines = render(store(row, beside)).splitlines()
    assert "| decode | M records/s | 4 / 5 |  |  | ≥ 9 M records/s | **missed** | 1 |" in lines
    assert "| decode | M records/s | 4 / 4 | 2 / 2 (aiokafka) | 2.00x | ≥ 1x | met | 1 |" in lines


def test_each_run_is_listed_with_its_number() -> None:
    text = render(store(Result("resident", "start", "s", (0.2,))))
    assert "1. `make bench`, 2026-11-27, commit a1, Python 3.11, a machine; 9 rounds" in text


def test_a_document_keeps_what_stands_around_its_tables(tmp_path: Path) -> None:
    page = tmp_path / "speed.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nbehind\n")
    for _ in range(2):
        put_into(page, store(Result("resident", "start", "s", (0.2,))))
    text = page.read_text()
    assert text.startswith(f"before\n{BEGIN}\n")
    assert text.endswith(f"{END}\nbehind\n")
    assert "old" not in text
    assert text.count("| start |") == 1


def test_a_document_without_a_place_for_tables_is_refused(tmp_path: Path) -> None:
    page = tmp_path / "speed.md"
    page.write_text("no marks\n")
    with pytest.raises(ValueError, match="has no place for tables"):
        put_into(page, Store())
