"""Records as files."""

import csv
import io
import json

import pytest
from pyarrow import parquet
from starlette.testclient import TestClient

from barnabas import Producer
from barnabas.console.records.record_files import ParquetTable
from barnabas.records.columns.record import Record
from barnabas.testing import EmbeddedBroker


@pytest.fixture(scope="module")
def path(console_broker: EmbeddedBroker) -> str:
    console_broker.create_topic("filed", 2)
    with Producer(bootstrap_servers=console_broker.bootstrap_servers) as producer:
        for number in range(2500):
            producer.send(
                "filed", f"v,{number}", key=str(number), partition=number % 2, timestamp_ms=number,
                headers=[("h", b"\xff")],
            )  # fmt: skip
        producer.send("filed", None, key=b"\xff", partition=0, timestamp_ms=2500)
    return "/topics/filed/records/download"


def test_lines_of_json(browser: TestClient, path: str) -> None:
    answer = browser.get(f"{path}?kind=jsonl&from=beginning")
    assert 'filename="filed.jsonl"' in answer.headers["Content-Disposition"]
    rows = [json.loads(line) for line in answer.text.splitlines()]
    assert [row["value"] for row in rows[:3]] == ["v,0", "v,1", "v,2"]
    assert len(rows) == 2501
    assert rows[-1]["key"] == {"base64": "/w=="}


def test_csv_has_what_the_filter_keeps(browser: TestClient, path: str) -> None:
    answer = browser.get(f"{path}?kind=csv&from=beginning&value=v,24")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert len(rows) == 111
    assert rows[0]["value"] == "v,24"
    assert json.loads(rows[0]["headers"]) == [["h", "base64:/w=="]]


def test_parquet_has_bytes(browser: TestClient, path: str) -> None:
    answer = browser.get(f"{path}?kind=parquet&from=beginning&most=2400")
    table = parquet.read_table(io.BytesIO(answer.content))
    assert table.num_rows == 2400
    assert table["value"][7].as_py() == b"v,7"
    assert table["headers"][0].as_py() == [{"key": "h", "value": b"\xff"}]


def test_a_table_leaves_row_group_by_row_group() -> None:
    file, record = ParquetTable(), Record("filed", 0, 7, 1, 0, None, b"v" * 1000)
    pieces = [file.add([record] * 100) for _ in range(3)]
    assert all(pieces), "nothing is kept until the end"
    table = parquet.read_table(io.BytesIO(b"".join([*pieces, file.end()])))
    assert table.num_rows == 300
    assert table["value"][299].as_py() == b"v" * 1000


def test_downloads_at_a_time_are_bounded(browser: TestClient, path: str) -> None:
    browser.app.state.downloads.count = 8  # type: ignore[attr-defined]
    try:
        assert browser.get(path).status_code == 503
    finally:
        browser.app.state.downloads.count = 0  # type: ignore[attr-defined]
    assert browser.get(f"{path}?kind=jsonl").status_code == 200
    assert browser.app.state.downloads.count == 0  # type: ignore[attr-defined]


def test_from_the_end_the_newest_are_in_the_file(browser: TestClient, path: str) -> None:
    lines = browser.get(f"{path}?kind=jsonl&most=10").text.splitlines()
    assert sorted(json.loads(line)["timestamp"] for line in lines) == [*range(2491, 2501)]


def test_a_kind_that_there_is_not(browser: TestClient, path: str) -> None:
    answer = browser.get(f"{path}?kind=xlsx")
    assert answer.status_code == 400
    assert "kind must be one of jsonl, csv, parquet" in answer.text
