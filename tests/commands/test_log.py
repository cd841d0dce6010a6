"""`barnabas log` as a user runs it, on directories that Kafka left and on broken ones."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.commands.served import run

VECTORS = Path(__file__).parents[1] / "vectors" / "logs"
VERSIONS = sorted(path.name for path in VECTORS.glob("kafka-*"))
TABS = 9


def documents(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


@pytest.mark.parametrize("version", VERSIONS)
def test_nothing_is_wrong_with_what_kafka_wrote(version: str) -> None:
    done = run("log", "verify", str(VECTORS / version))
    assert (done.code, done.err) == (0, "")
    assert done.lines[-1].endswith(": nothing is broken")
    assert len(done.lines) == 1


@pytest.mark.parametrize("version", VERSIONS)
def test_dump_tells_every_batch_and_record(version: str) -> None:
    told = json.loads((VECTORS / version / "records.json").read_text())
    names = told["batch_columns"]
    for place in ("0", "1"):
        path = VECTORS / version / f"corpus-{place}"
        rows = documents(run("log", "dump", "--json", "--records", str(path)).out)
        batches = [row for row in rows if "file" in row]
        found = [
            [int(place), int(Path(row["file"]).stem), *(row[name] for name in names[2:])]
            for row in batches
        ]
        assert found == [row for row in told["batches"] if row[0] == int(place)]
        records = [row for row in rows if "topic" in row]
        known = [row for row in told["records"] if row[0] == int(place)]
        assert [(row["topic"], row["partition"], row["offset"]) for row in records] == [
            ("corpus", row[0], row[1]) for row in known
        ]


def test_dump_for_people() -> None:
    path = VECTORS / "kafka-0.11.0.3" / "corpus-0" / "00000000000000000044.log"
    done = run("log", "dump", str(path))
    assert done.code == 0
    assert all(line.count("\t") == TABS for line in done.lines)
    assert any(line.endswith("abort, transactional") for line in done.lines)
    records = run("log", "dump", "--records", str(path)).lines
    assert "    45 | 2020-09-13 12:32:27.000 | " in "\n".join(records)


def test_index_prints_entries_and_where_they_lead() -> None:
    path = VECTORS / "kafka-0.10.2.2" / "corpus-0" / "00000000000000000009.log"
    rows = documents(run("log", "index", "--json", str(path)).out)
    offsets = [row for row in rows if "position" in row]
    times = [row for row in rows if "timestamp" in row]
    assert offsets
    assert times
    assert not any(row["fault"] for row in rows)


def test_what_is_broken_is_named_with_its_place(tmp_path: Path) -> None:
    copy = shutil.copytree(VECTORS / "kafka-0.9.0.1" / "corpus-0", tmp_path / "corpus-0")
    segment = copy / "00000000000000000009.log"
    data = bytearray(segment.read_bytes())
    data[40] ^= 1
    segment.write_bytes(bytes(data) + bytes(7))
    done = run("log", "verify", str(tmp_path))
    assert done.code == 1
    assert f"{segment} at byte 0: batch of offset" in done.lines[0]
    assert f"{segment} at byte {len(data)}: 7 bytes at the end" in done.lines[1]
    assert done.lines[-1].endswith(": 2 faults")
    told = documents(run("log", "verify", "--json", str(segment)).out)
    assert [row.get("position") for row in told[:2]] == [0, len(data)]
    assert told[-1]["faults"] == 2


def test_what_is_no_log_is_said(tmp_path: Path) -> None:
    done = run("log", "dump", str(tmp_path))
    assert done.code == 1
    assert "holds no segment" in done.err
    gone = run("log", "verify", str(tmp_path / "gone"))
    assert gone.code == 1
    assert "is not there" in gone.err
