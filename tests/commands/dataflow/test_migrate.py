"""`barnabas migrate` from a log directory of Jafka."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands.served import Served, run, serving

LOGS = Path(__file__).parents[2] / "vectors/logs07"
KNOWN = json.loads((LOGS / "records.json").read_text())
MESSAGES = {
    partition: [row[4] for row in KNOWN["messages"] if row[0] == partition] for partition in (0, 1)
}


@pytest.fixture(scope="module")
def broker() -> Iterator[Served]:
    with serving("--ephemeral") as served:
        yield served


def test_a_directory_is_copied_once(broker: Served, tmp_path: Path) -> None:
    where = ("--directory", f"3={LOGS}", "--map", str(tmp_path / "map"), "--to", "copy")
    planned = broker.run("migrate", "corpus", *where, "--dry-run", "--json")
    ends = KNOWN["log_ends"]
    assert json.loads(planned.out)["partitions"] == [
        {"partition": one, "source": f"3-{one}", "next_byte": 0, "end_byte": ends[one]}
        for one in (0, 1)
    ]
    assert "copy" not in broker.run("topics", "list").out
    done = json.loads(broker.run("migrate", "corpus", *where, "--json", "-z", "gzip").out)
    assert done["messages"] == len(KNOWN["messages"])
    assert done["left_out"] == []
    assert [row["compared"] for row in done["partitions"]] == [len(MESSAGES[0]), len(MESSAGES[1])]
    lines = broker.run("consume", "copy", "--from-beginning", "-e", "--json").lines
    records = [json.loads(line) for line in lines]
    assert {one["key"] for one in records} == {None}
    for partition in (0, 1):
        found = [one["value"] for one in records if one["partition"] == partition]
        texts = [_shown(value) for value in MESSAGES[partition]]
        assert found == texts
    again = broker.run("migrate", "corpus", *where)
    count = [len(MESSAGES[one]) for one in (0, 1)]
    assert again.lines == [
        f"{one}\t3-{one}\t{ends[one]}\t{ends[one]}\t0\t0\t0\t{count[one]}\t0" for one in (0, 1)
    ]
    head = json.loads((tmp_path / "map").read_text().splitlines()[0])
    assert (head["topic"], head["target"], head["places"]) == ("corpus", "copy", ["3-0", "3-1"])


def test_the_map_of_another_target_stops_it_before_a_topic_is_made(
    broker: Served, tmp_path: Path
) -> None:
    where = ("--directory", f"3={LOGS}", "--map", str(tmp_path / "map"))
    broker.run("migrate", "corpus", *where, "--to", "first")
    stopped = broker.run("migrate", "corpus", *where, "--to", "second")
    assert (stopped.code, "its target is first" in stopped.err) == (1, True)
    assert "--map" in stopped.err
    assert "second" not in broker.run("topics", "list").out


def _shown(value: str) -> object:
    data = value.encode("latin-1")
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def test_a_broker_of_0_7_gets_a_topic_of_today(tmp_path: Path) -> None:
    """Old and new on one broker, where new topics have 0.7's format if nobody says otherwise."""
    dialects = ("--set", "listener.dialect.map=")
    with serving("--ephemeral", "--profile", "0.7", *dialects) as both:
        where = ("--directory", f"3={LOGS}", "--map")
        new = (str(tmp_path / "new"), "--to", "new")
        done = json.loads(both.run("migrate", "corpus", *where, *new, "--json").out)
        assert done["messages"] == len(KNOWN["messages"])
        both.run("topics", "create", "old", "--partitions", "2")
        refused = both.run("migrate", "corpus", *where, str(tmp_path / "old"), "--to", "old")
        assert refused.code != 0
        assert "old has the record format of Kafka 0.7: --to names another topic" in refused.err


def test_damage_stops_it_or_is_left_out(broker: Served, tmp_path: Path) -> None:
    folder = tmp_path / "log" / "corpus-0"
    folder.mkdir(parents=True)
    for file in (LOGS / "corpus-0").iterdir():
        data = bytearray(file.read_bytes())
        if not int(file.stem):
            data[20] ^= 1
        (folder / file.name).write_bytes(data)
    where = ("--directory", str(tmp_path / "log"), "--map", str(tmp_path / "map"), "--to", "bad")
    stopped = broker.run("migrate", "corpus", *where)
    assert stopped.code == 1
    assert "0-0 of the source at byte 0:" in stopped.err
    assert "--skip-corrupt" in stopped.err
    done = broker.run("migrate", "corpus", *where, "--skip-corrupt")
    assert (done.code, "left out: 0-0 from byte 0 to" in done.err) == (0, True), done.err
    (line,) = done.lines
    assert int(line.split("\t")[4]) == len(MESSAGES[0]) - 1


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--from", "127.0.0.1:1"), "cannot connect to 127.0.0.1:1"),
        (
            ("--from", "127.0.0.1:1"),
            "; --from has to name a broker of Kafka 0.7 that runs\n",
        ),
        (("--directory", str(LOGS), "--to", "one"), "one has 1 partition, the source 2"),
    ],
)
def test_what_cannot_be_done_is_an_error(
    broker: Served, tmp_path: Path, arguments: tuple[str, ...], why: str
) -> None:
    if "one" in arguments:
        assert broker.run("topics", "create", "one").code == 0
    done = broker.run("migrate", "corpus", *arguments, "--map", str(tmp_path / "map"))
    assert (done.code, why in done.err) == (1, True), done.err


def test_a_misspelt_topic_is_made_nowhere(broker: Served, tmp_path: Path) -> None:
    where = ("--map", str(tmp_path / "map"))
    near = broker.run("migrate", "corpsu", "--directory", str(LOGS), *where)
    assert (near.code, "corpsu-1, ...; did you mean corpus?" in near.err) == (1, True), near.err
    with serving("--ephemeral", "--profile", "0.7") as old:
        nowhere = broker.run("migrate", "corpsu", "--from", old.servers, *where)
    assert (nowhere.code, "no broker has data of it" in nowhere.err) == (1, True), nowhere.err
    assert "corpsu" not in broker.run("topics", "list").out
    assert not (tmp_path / "map").exists()


def test_a_target_that_is_not_there(tmp_path: Path) -> None:
    done = run(
        "migrate", "corpus", "--directory", str(LOGS), "--map", str(tmp_path / "map"),
        "-X", "bootstrap.refused.timeout.ms=500",
    )  # fmt: skip
    assert (done.code, "name another with -b" in done.err) == (1, True), done.err
