"""`barnabas log` as a user runs it, on directories that Kafka left and on broken ones."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from barnabas.records.codecs.compression import Codec, compress
from barnabas.records.messages07.message07 import encode_message, encode_set
from tests.commands.served import BARNABAS, SECONDS, run
from tests.record_batches import make_batch

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
    printed = json.loads((VECTORS / version / "records.json").read_text())
    names = printed["batch_columns"]
    for place in ("0", "1"):
        path = VECTORS / version / f"corpus-{place}"
        rows = documents(run("log", "dump", "--json", "--records", str(path)).out)
        batches = [row for row in rows if "file" in row]
        found = [
            [int(place), int(Path(row["file"]).stem), *(row[name] for name in names[2:])]
            for row in batches
        ]
        assert found == [row for row in printed["batches"] if row[0] == int(place)]
        records = [row for row in rows if "topic" in row]
        known = [row for row in printed["records"] if row[0] == int(place)]
        assert [(row["topic"], row["partition"], row["offset"]) for row in records] == [
            ("corpus", row[0], row[1]) for row in known
        ]


def test_verify_finds_an_index_whose_segment_is_lost(tmp_path: Path) -> None:
    partition = tmp_path / "t-0"
    partition.mkdir()
    for base in (0, 3, 6):
        (partition / f"{base:020d}.log").write_bytes(make_batch(3, base_offset=base))
        (partition / f"{base:020d}.index").touch()
    assert run("log", "verify", str(tmp_path)).code == 0
    (partition / f"{3:020d}.log").unlink()
    for path in (tmp_path, partition):
        done = run("log", "verify", str(path))
        assert done.code == 1
        assert done.lines[0].endswith(
            f"{3:020d}.index at byte 0: the segment that this is the index of is lost"
        )
        assert done.lines[-1].endswith(": 1 fault")


def test_verify_finds_a_segment_that_is_lost_with_its_index(tmp_path: Path) -> None:
    partition = tmp_path / "t-0"
    partition.mkdir()
    for base in (0, 6):
        (partition / f"{base:020d}.log").write_bytes(make_batch(3, base_offset=base))
    unknown = run("log", "verify", str(tmp_path))
    assert (unknown.code, "offsets 3 to 5 are not there" in unknown.err) == (0, True)
    cleaned = tmp_path / "cleaner-offset-checkpoint"
    cleaned.write_text("0\n1\nt 0 6\n")
    compacted = run("log", "verify", str(tmp_path))
    assert (compacted.code, compacted.err) == (0, "")
    cleaned.write_text("0\n0\n")
    for path in (tmp_path, partition):
        done = run("log", "verify", str(path))
        assert done.code == 1
        assert done.lines[0].endswith(
            ": offsets 3 to 5 are not there: a segment is lost behind this one"
        )


@pytest.mark.parametrize("suffix", [".kafka", ".jafka"])
def test_verify_names_the_damaged_message_of_kafka_07(tmp_path: Path, suffix: str) -> None:
    partition = tmp_path / "corpus-0"
    partition.mkdir()
    segment = partition / f"00000000000000000000{suffix}"
    whole = encode_set([b"rex", b"fido"])
    segment.write_bytes(whole)
    sound = run("log", "verify", str(tmp_path))
    assert (sound.code, sound.err) == (0, "")
    assert sound.lines == [
        f"1 segment, 0 batches, 2 records, {len(whole)} bytes: nothing is broken"
    ]
    segment.write_bytes(whole[:-1] + b"?")
    at = len(encode_set([b"rex"]))
    damaged = run("log", "verify", str(tmp_path))
    assert damaged.code == 1
    assert damaged.lines[0] == f"{segment} at byte {at}: a message has another CRC than it states"


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


def test_small_files_are_printed_too() -> None:
    folder = VECTORS / "kafka-2.8.2"
    rows = documents(run("log", "dump", "--json", "--state", str(folder)).out)
    by_name: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        path = Path(row.pop("file"))
        by_name.setdefault(path.suffix if path.stem.isdigit() else path.name, []).append(row)
    assert by_name["meta.properties"][0]["node_id"] == 0
    places = by_name["recovery-point-offset-checkpoint"]
    assert {"corpus"} <= {row["topic"] for row in places}
    assert all(row["offset"] >= 0 for row in places)
    assert by_name["leader-epoch-checkpoint"][0] == {"leader_epoch": 0, "start_offset": 0}
    assert all(row["first_offset"] <= row["last_offset"] for row in by_name[".txnindex"])
    assert all(row["last_offset"] >= 0 for row in by_name[".snapshot"])


def test_one_small_file_is_printed_by_its_name() -> None:
    (path, *_) = sorted((VECTORS / "kafka-0.11.0.3").glob("corpus-*/*.txnindex"))
    named, *rows = run("log", "dump", str(path)).lines
    assert named == f"{path}: producer_id, first_offset, last_offset, last_stable_offset"
    assert all(row.count("\t") == 3 for row in rows)
    assert rows


@pytest.mark.parametrize("version", ["kafka-0.9.0.1", "kafka-2.8.2", "kafka-4.3.0"])
def test_what_a_group_keeps_is_printed_in_words(version: str) -> None:
    (path, *_) = sorted((VECTORS / version).glob("__consumer_offsets-*"))
    rows = documents(run("log", "dump", "--json", "--records", str(path)).out)
    commits = [row for row in rows if row.get("type") == "OffsetCommit"]
    last = {
        row["key"]["partition"]: row["value"]["offset"]
        for row in commits
        if row["key"]["group"] == "corpus-group"
    }
    assert last == {0: 7, 1: 11}
    lines = run("log", "dump", "--records", str(path)).lines
    assert any(
        "| OffsetCommit group=corpus-group topic=corpus partition=1 | " in it for it in lines
    )


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
    epochs = copy / "leader-epoch-checkpoint"
    epochs.write_text("0\n2\n3 0\n")
    snapshot = copy / "00000000000000000009.snapshot"
    snapshot.write_bytes(b"\0\1no snapshot")
    lines = run("log", "verify", str(tmp_path)).lines
    assert f"{epochs} at byte 0: 2 declared, 1 lines found" in lines
    assert any(line.startswith(f"{snapshot} at byte 0: no snapshot") for line in lines)
    assert lines[-1].endswith(": 4 faults")
    printed = documents(run("log", "verify", "--json", str(segment)).out)
    assert [row.get("position") for row in printed[:2]] == [0, len(data)]
    assert printed[-1]["faults"] == 2


def test_an_emptied_file_of_epochs_is_named_where_batches_have_some(tmp_path: Path) -> None:
    copy = shutil.copytree(VECTORS / "kafka-4.3.0" / "corpus-0", tmp_path / "corpus-0")
    assert run("log", "verify", str(tmp_path)).code == 0
    epochs = copy / "leader-epoch-checkpoint"
    epochs.write_bytes(b"")
    done = run("log", "verify", str(tmp_path))
    printed = f"{epochs} at byte 0: it knows no epoch, and the last batch of the log is of epoch 0"
    assert (done.code, done.lines[0]) == (1, printed)
    new = tmp_path / "nobody-has-led" / "new-0"
    new.mkdir(parents=True)
    for name in ("00000000000000000000.log", "leader-epoch-checkpoint"):
        (new / name).touch()
    assert run("log", "verify", str(new)).code == 0


def test_an_empty_file_of_epochs_may_be_sound_where_messages_were_of_older_formats(
    tmp_path: Path,
) -> None:
    epochs = shutil.copytree(VECTORS / "kafka-1.1.1" / "corpus-0", tmp_path / "corpus-0")
    epochs /= "leader-epoch-checkpoint"
    assert run("log", "verify", str(tmp_path)).err == ""
    epochs.write_bytes(b"")
    done = run("log", "verify", str(tmp_path))
    assert done.code == 0
    assert f"{epochs}: it knows no epoch, and the last batch of the log is of epoch 0: " in done.err
    epochs.write_bytes(b"0\n1\n")
    assert run("log", "verify", str(tmp_path)).code == 1


def test_what_is_no_log_is_an_error(tmp_path: Path) -> None:
    done = run("log", "dump", str(tmp_path))
    assert done.code == 1
    assert "holds no segment" in done.err
    gone = run("log", "verify", str(tmp_path / "gone"))
    assert gone.code == 1
    assert "does not exist" in gone.err


def test_of_several_files_each_line_names_its_own() -> None:
    place = VECTORS / "kafka-0.11.0.3"
    paths = [str(place / f"corpus-{number}") for number in (0, 1)]
    plain = run("log", "dump", *paths).lines
    assert {line.count("\t") for line in plain} == {TABS + 1}
    assert {Path(line.partition("\t")[0]).parent.name for line in plain} == {"corpus-0", "corpus-1"}
    heads = [line for line in run("log", "dump", "--records", *paths).lines if line[0] != " "]
    assert {Path(line.partition(": ")[0]).parent.name for line in heads} == {"corpus-0", "corpus-1"}


@pytest.mark.parametrize("suffix", [".kafka", ".jafka"])
def test_dump_shows_the_messages_of_kafka_07_at_their_bytes(tmp_path: Path, suffix: str) -> None:
    partition = tmp_path / "corpus-0"
    partition.mkdir()
    segment = partition / f"00000000000000001000{suffix}"
    first, packed = encode_set([b"rex"]), encode_set([b"fido", b"bello"])
    zipped = encode_message(compress(Codec.GZIP, packed), codec=Codec.GZIP)
    segment.write_bytes(first + zipped + b"\0\0")

    rows = [line.split("\t") for line in run("log", "dump", str(tmp_path)).lines]
    assert rows == [
        ["0", str(len(first)), "1000", "1", "1", "none", ""],
        [str(len(first)), str(len(zipped)), str(1000 + len(first)), "2", "1", "gzip", ""],
        [
            str(len(first) + len(zipped)),
            *[""] * 5,
            "2 bytes at the end are no whole message",
        ],
    ]
    shown = run("log", "dump", "--records", str(tmp_path)).lines
    assert shown[0] == (
        f"{segment}: position 0, size {len(first)}, offset 1000, messages 1, magic 1, codec none"
    )
    assert [line.strip() for line in shown if line.startswith("    ")] == [
        "1000 | rex",
        f"{1000 + len(first)} | fido",
        f"{1000 + len(first)} | bello",
    ]
    printed = documents(run("log", "dump", "--json", "--records", str(tmp_path)).out)
    assert [row["next_offset"] for row in printed if "next_offset" in row] == [
        1000 + len(first),
        1000 + len(first) + len(zipped),
    ]
    assert [row["value"] for row in printed if "topic" in row] == ["rex", "fido", "bello"]


def test_a_reader_that_has_seen_enough_ends_the_dump_silently(tmp_path: Path) -> None:
    partition = tmp_path / "corpus-0"
    partition.mkdir()
    segment = partition / "00000000000000000000.kafka"
    segment.write_bytes(encode_set([b"rex"] * 20_000))
    command = [*BARNABAS, "log", "dump", str(segment)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(SECONDS) == 0
