"""Records as files."""

import csv
import io
import json
import threading
from collections.abc import Iterator, Sequence

import pytest
from pyarrow import parquet
from starlette.testclient import TestClient

from barnabas import Producer
from barnabas.console.records import record_parts
from barnabas.console.records.record_files import JsonLines
from barnabas.console.records.record_scan import RecordScan
from barnabas.console.streams import EndedEarly
from barnabas.errors import CorruptRecord
from barnabas.records.columns.record import Record
from barnabas.testing import EmbeddedBroker
from tests.unit.console.forms import hidden_fields


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
    assert [json.loads(line)["timestamp"] for line in lines] == [*range(2491, 2501)]


@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        ("", range(2501)),
        ("&most=2300", range(201, 2501)),
        ("&partition=1", range(1, 2500, 2)),
        ("&before=0:600,1:600&most=1100", range(100, 1200)),
        ("&value=v,1&most=1000", [one for one in range(2500) if str(one).startswith("1")][-1000:]),
    ],
)
def test_a_file_from_the_end_is_in_order(
    browser: TestClient, path: str, query: str, numbers: Sequence[int]
) -> None:
    """More than one part, so that `barnabas produce --json` stores the records as they were."""
    lines = browser.get(f"{path}?kind=jsonl{query}").text.splitlines()
    assert [json.loads(line)["timestamp"] for line in lines] == [*numbers]


def test_the_page_names_the_limit_and_lets_it_be_changed(browser: TestClient, path: str) -> None:
    page = browser.get("/topics/filed/records?from=beginning&value=v,2&count=25").text
    form = page.rpartition("<form")[2]
    assert 'action="/topics/filed/records/download"' in form
    assert 'name="most" inputmode="numeric" size="8" value="10000"' in form
    assert hidden_fields(form) == {"from": "beginning", "value": "v,2"}
    assert 'name="kind" value="csv"' in form


def test_a_file_that_would_lack_records_is_not_completed(
    browser: TestClient,
    path: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(record_parts, "_SECONDS", -1.0)
    with pytest.raises(EndedEarly, match="it took more than"):
        browser.get(f"{path}?kind=jsonl&from=beginning")
    assert "a download of filed ended early: it took more than" in caplog.text


def test_a_damaged_record_ends_the_file_visibly(
    browser: TestClient, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def damaged(*_: object) -> None:
        raise CorruptRecord("its checksum is wrong")

    monkeypatch.setattr(RecordScan, "_sort_in", damaged)
    with pytest.raises(EndedEarly, match="its checksum is wrong"):
        browser.get(f"{path}?kind=jsonl&from=beginning")


def test_records_are_encoded_beside_the_loop_and_sent_in_pieces(
    browser: TestClient, console_broker: EmbeddedBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    console_broker.create_topic("lumpy")
    with Producer(bootstrap_servers=console_broker.bootstrap_servers) as producer:
        producer.send("lumpy", b"x" * 900_000).result()
    encoders: list[str] = []
    add = JsonLines.add

    def adding(self: JsonLines, records: Sequence[Record]) -> Iterator[bytes]:
        encoders.append(threading.current_thread().name)
        yield from add(self, records)

    monkeypatch.setattr(JsonLines, "add", adding)
    with browser.stream("GET", "/topics/lumpy/records/download?kind=jsonl") as answer:
        pieces = list(answer.iter_raw())
    assert browser.portal is not None
    assert browser.portal.call(lambda: threading.current_thread().name) not in encoders
    assert encoders
    assert len(b"".join(pieces)) > 900_000
    assert max(map(len, pieces)) < 500_000, "it is never whole in memory"


def test_a_kind_that_there_is_not(browser: TestClient, path: str) -> None:
    answer = browser.get(f"{path}?kind=xlsx")
    assert answer.status_code == 400
    assert "kind must be one of jsonl, csv, parquet" in answer.text
