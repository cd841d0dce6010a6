"""Projects from `barnabas pipeline init`: run, run again with new records, and compared with a batch."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from barnabas.spark.sessions.java import default_cache, find_java
from tests.commands import served
from tests.commands.served import Done
from tests.spark.topics import Given, Topics

pytestmark = [pytest.mark.spark, pytest.mark.timeout(1500)]

PATIENCE_S = 600
MINUTE_MS = 60_000
START_MS = (int(time.time() * 1000) // MINUTE_MS - 24 * 60) * MINUTE_MS
"""A day ago: old enough for windows to be over, too new for retention."""


@pytest.fixture(autouse=True)
def _patient_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served, "SECONDS", PATIENCE_S)


@dataclass(frozen=True)
class Project:
    """A project whose topics are the test's own."""

    folder: Path
    source: str
    target: str

    def command(self, name: str, *options: str) -> Done:
        local = [] if name == "status" else ["--master", "local[2]"]
        return served.run("pipeline", name, str(self.folder), *local, *options)

    def result(self, name: str, *options: str) -> Any:
        """The JSON of a command that succeeds."""
        done = self.command(name, *options, "--json")
        assert done.code == 0, done.out + done.err[-6000:]
        return json.loads(done.out)

    def rows(self, table: str) -> list[dict[str, Any]]:
        """A table's rows from its files, without Spark."""
        files = (self.folder / "spark-warehouse" / table).glob("*.parquet")
        return [row for each in files for row in pq.read_table(each).to_pylist()]


@pytest.fixture
def project(topics: Topics, tmp_path: Path) -> Callable[[str], Project]:
    def make(template: str) -> Project:
        folder, source, target = tmp_path / "project", topics.create(2), topics.create(2)
        arguments = ("pipeline", "init", str(folder), "--template", template)
        done = served.run(*arguments, servers=topics.servers)
        assert done.code == 0, done.err
        spec = folder / "spark-pipeline.yml"
        lines = spec.read_text().splitlines()
        mine = {"source": source, "target": target, "dead_letters": target}
        for index, line in enumerate(lines):
            name = line.partition(":")[0]
            topic = mine.get(name.strip().removeprefix("spark.barnabas."))
            if topic is not None:
                lines[index] = f'{name}: "{topic}"'
        spec.write_text("\n".join(lines))
        return Project(folder, source, target)

    return make


def orders(numbers: Iterable[int]) -> list[Given]:
    """An order for each number, a minute after the one before; every seventh is none."""
    return [
        Given(
            b"nonsense"
            if number % 7 == 0
            else json.dumps({"customer": f"c{number % 3}", "amount": number + 0.5}).encode(),
            key=b"c%d" % (number % 3),
            partition=number % 3 % 2,
            timestamp_ms=START_MS + number * MINUTE_MS,
            headers=[("n", b"%d" % number)],
        )
        for number in numbers
    ]


def good(numbers: Iterable[int]) -> list[tuple[str, float]]:
    return [(f"c{number % 3}", number + 0.5) for number in numbers if number % 7]


def equal(project: Project) -> Mapping[str, Mapping[str, Any]]:
    """Every output by name, all of them as a plain batch has them."""
    found = project.result("verify")
    assert found["equal"], found
    return {each["output"]: each for each in found["outputs"]}


def test_a_topic_is_copied(project: Callable[[str], Project], topics: Topics) -> None:
    copy = project("copy")
    topics.send(copy.source, orders(range(20)))
    assert copy.result("run")["flows"] == {"copy": "COMPLETED"}
    copied = {
        (each.key(), each.value(), str(each.headers())) for each in topics.committed(copy.target)
    }
    source = topics.all_of(copy.source)
    assert copied == {(each.key(), each.value(), str(each.headers())) for each in source}
    (status, *others) = copy.result("status")
    assert (status["flow"], status["state"], status["lag"], others) == ("copy", "completed", 0, [])


@pytest.mark.long
def test_copies_go_on_and_a_doubled_or_missing_record_is_found(
    project: Callable[[str], Project], topics: Topics
) -> None:
    copy = project("copy")
    topics.send(copy.source, orders(range(20)))
    copy.result("run")
    topics.send(copy.source, orders(range(20, 50)))
    (status,) = copy.result("status")
    assert status["lag"] == 30
    copy.result("run")
    assert len(topics.committed(copy.target)) == 50
    assert equal(copy)["target"]["expected"] == 50
    topics.send(copy.target, orders([1]))
    topics.delete_before(copy.target, 1)
    done = copy.command("verify", "--json")
    assert done.code == 1
    (found,) = json.loads(done.out)["outputs"]
    assert (found["missing"], found["doubled"], found["unexpected"]) == (1, 1, 0)
    assert any(line.startswith("doubled: key=c1") for line in found["first"])


@pytest.mark.long
def test_medallion(project: Callable[[str], Project], topics: Topics) -> None:
    shop = project("medallion")
    assert shop.result("dry-run")["valid"]
    for numbers in (range(20), range(20, 50)):
        topics.send(shop.source, orders(numbers))
        shop.result("run")
    wanted = good(range(50))
    totals = {(each["customer"], each["orders"], each["total"]) for each in shop.rows("gold")}
    assert totals == {
        (
            name,
            sum(each == name for each, _ in wanted),
            sum(n for each, n in wanted if each == name),
        )
        for name, _ in wanted
    }
    clean = [json.loads(each.value() or b"") for each in topics.committed(shop.target)]
    assert sorted((each["customer"], each["amount"]) for each in clean) == sorted(wanted)
    assert set(equal(shop)) == {"bronze", "silver", "gold", "target"}


@pytest.mark.long
def test_dead_letters(project: Callable[[str], Project], topics: Topics) -> None:
    shop = project("dead-letters")
    for numbers in (range(20), range(20, 50)):
        topics.send(shop.source, [*orders(numbers), Given(None, key=b"none")])
        shop.result("run")
    found = sorted((each["customer"], each["amount"]) for each in shop.rows("orders"))
    assert found == sorted(good(range(50)))
    dead = [
        (each.value(), dict(each.headers() or [])["reason"])
        for each in topics.committed(shop.target)
    ]
    assert sorted(dead, key=str) == [(None, b"no value")] * 2 + [
        (b"nonsense", b"no JSON of an order")
    ] * len(range(0, 50, 7))
    assert set(equal(shop)) == {"orders", "dead_letters"}


@pytest.mark.long
def test_windows(project: Callable[[str], Project], topics: Topics) -> None:
    clicks = project("windows")
    for first in (0, 10):
        times = [START_MS + n * MINUTE_MS for n in range(first, first + 10)]
        topics.send(
            clicks.source,
            [Given(b"", key=b"a", timestamp_ms=time + n) for time in times for n in range(3)],
        )
        clicks.result("run")
    counts = [json.loads(each.value() or b"") for each in topics.committed(clicks.target)]
    assert all(each["count"] == 3 for each in counts)
    starts = [each["start"] for each in counts]
    assert len(starts) == len(set(starts)) >= 16
    assert equal(clicks)["target"]["result"] == "open windows"


@pytest.mark.long
def test_latest(project: Callable[[str], Project], topics: Topics) -> None:
    customers = project("latest")
    topics.send(customers.source, [Given(b"1", key=b"ann"), Given(b"1", key=b"bob")])
    customers.result("run")
    topics.send(customers.source, [Given(b"2", key=b"ann"), Given(None, key=b"bob")])
    customers.result("run")
    assert customers.rows("latest") == [{"key": "ann", "value": "2"}]
    assert set(equal(customers)) == {"changes", "latest"}


@pytest.mark.long
@pytest.mark.parametrize(
    ("template", "outputs"),
    [
        ("medallion", {"bronze": 50, "silver": 42, "gold": 3, "target": 42}),
        ("dead-letters", {"orders": 42, "dead_letters": 8}),
        ("copy", {"target": 50}),
        # The watermark is two minutes behind the last of 50; its window and two more are open.
        ("windows", {"target": 47}),
        ("latest", {"changes": 50, "latest": 3}),
    ],
)
def test_spark_pipelines_runs_it_as_well(
    project: Callable[[str], Project], topics: Topics, template: str, outputs: dict[str, int]
) -> None:
    """Twice, with new records between; each output has so many rows, those of a plain batch."""
    shop = project(template)
    environment = os.environ | {
        "JAVA_HOME": str(find_java(os.environ, cache=default_cache()).home),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    program = Path(sys.executable).with_name("spark-pipelines")
    defaults = (shop.folder / "spark-defaults.conf").exists()
    properties = ["--properties-file", "spark-defaults.conf"] if defaults else []
    for numbers in (range(20), range(20, 50)):
        topics.send(shop.source, orders(numbers))
        done = subprocess.run(
            [program, *properties, "run"],
            cwd=shop.folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-6000:]
    found = equal(shop)
    assert {name: each["actual"] for name, each in found.items()} == outputs


@pytest.mark.long
@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("silver.sql", "STREAM bronze", "STREAM bronce", "bronce"),
        ("bronze.py", "spark.readStream", "sparc.readStream", "line 12: NameError: name 'sparc'"),
        (
            "bronze.py",
            '.option("subscribe", ',
            '.option("subscribe", "no-such" + ',
            "BARNABAS_NO_TOPIC",
        ),
    ],
)
def test_a_mistake_is_one_sentence(
    project: Callable[[str], Project], file: str, old: str, new: str, message: str
) -> None:
    shop = project("medallion")
    path = shop.folder / "transformations" / file
    path.write_text(path.read_text().replace(old, new))
    done = shop.command("run")
    assert done.code == 1
    last = done.err.splitlines()[-1]
    assert last.startswith("barnabas: ")
    assert message in last
