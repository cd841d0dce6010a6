from dataclasses import replace
from pathlib import Path

from benchmarks.report.conditions import Run
from benchmarks.report.result import Result
from benchmarks.report.store import Store, read

FIRST = Run("make bench", "2026-11-22", "a1", "Python", "machine", "quiet")
SECOND = replace(FIRST, command="ONLY=requests make bench", date="2026-11-27")
PRODUCE = Result("requests", "produce", "µs", (3.0, 2.0), (6.0, 4.0), "Kafka 4.3.0", 0.5)
FETCH = replace(PRODUCE, measure="fetch")
START = Result("resident", "start", "s", (0.2,), target=0.25)


def test_a_run_replaces_what_it_measured_and_nothing_else() -> None:
    store = Store()
    store.put(FIRST, [PRODUCE, FETCH, START])
    again = replace(PRODUCE, ours=(1.0,))
    store.put(SECOND, [again])
    assert [(store.runs[number], row) for number, row in store.rows] == [
        (FIRST, FETCH),
        (SECOND, again),
        (FIRST, START),
    ]


def test_rows_that_a_whole_group_has_no_more_go_and_so_do_runs_without_rows() -> None:
    store = Store()
    store.put(FIRST, [PRODUCE, FETCH])
    store.put(SECOND, [PRODUCE], whole=["requests"])
    assert store.rows == [(0, PRODUCE)]
    assert store.runs == [SECOND]


def test_rows_beside_two_peers_are_two_rows() -> None:
    store = Store()
    beside_floor = replace(PRODUCE, peer_name="floor")
    store.put(FIRST, [beside_floor, PRODUCE])
    store.put(SECOND, [PRODUCE])
    assert store.results() == [beside_floor, PRODUCE]


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    store = Store()
    store.put(FIRST, [PRODUCE, START])
    store.write(tmp_path / "results.json")
    assert read(tmp_path / "results.json") == store


def test_no_file_is_an_empty_store(tmp_path: Path) -> None:
    assert read(tmp_path / "results.json") == Store()
