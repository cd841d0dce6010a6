"""`barnabas pipeline`, as far as it needs no Spark: init, templates, status, and mistakes."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands.served import Served, run, serving


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with serving("--ephemeral") as broker:
        yield broker


@pytest.fixture
def project(tmp_path: Path, served: Served) -> Path:
    folder = tmp_path / "shop"
    done = served.run("pipeline", "init", str(folder), "--template", "copy")
    assert done.code == 0, done.err
    return folder


def test_init_writes_a_project(tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    done = run("pipeline", "init", str(folder), "--template", "copy", "--json", "-b", "b:1")
    assert json.loads(done.out) == {
        "folder": str(folder),
        "files": [".gitignore", "README.md", "spark-pipeline.yml", "transformations/copy.py"],
    }
    assert 'spark.barnabas.servers: "b:1"' in (folder / "spark-pipeline.yml").read_text()
    assert (folder / "README.md").read_text().startswith("# shop: A topic to another topic\n")
    again = run("pipeline", "init", str(folder), "--template", "copy")
    assert again.code == 2
    assert "exists already: choose another name" in again.err


def test_init_names_the_templates() -> None:
    listed = run("pipeline", "templates")
    names = [line.split("\t")[0] for line in listed.lines]
    for arguments in ([], ["--template", "medalion"]):
        done = run("pipeline", "init", "never-made", *arguments)
        assert done.code == 2
        assert all(name in done.err for name in names)
    assert not Path("never-made").exists()


def test_a_project_that_never_ran_has_no_status(project: Path, served: Served) -> None:
    done = served.run("pipeline", "status", str(project))
    assert (done.code, done.out, done.err) == (0, "", "")


def test_status_of_a_checkpoint(project: Path, served: Served) -> None:
    assert served.run("topics", "create", "orders").code == 0
    assert served.run("produce", "orders", stdin="a\nb\nc\n").code == 0
    checkpoint = project / "storage/_checkpoints/target/copy/0"
    for part in ("offsets", "commits"):
        (checkpoint / part).mkdir(parents=True)
    offsets = '{"orders":{"0":1},"gone":{"0":5}}'
    (checkpoint / "offsets/4").write_text(f'v1\n{{"batchTimestampMs":1700000000000}}\n{offsets}')
    (checkpoint / "commits/4").write_text("v1\n{}")
    done = served.run("pipeline", "status", str(project), "--json")
    batch = {"flow": "copy", "state": None, "batch": 4, "planned_ms": 1_700_000_000_000}
    assert json.loads(done.out) == [
        {**batch, "topic": "orders", "lag": 2},
        {**batch, "topic": "gone", "lag": None},
    ]


@pytest.mark.parametrize("command", ["run", "dry-run", "status", "verify"])
def test_a_folder_without_a_project(command: str, tmp_path: Path) -> None:
    done = run("pipeline", command, str(tmp_path))
    assert done.code == 1
    assert "there is no spark-pipeline.yml in" in done.err
    assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize("command", ["run", "dry-run"])
def test_a_topic_that_is_missing_is_found_before_spark_starts(
    command: str, project: Path, served: Served
) -> None:
    spec = project / "spark-pipeline.yml"
    spec.write_text(spec.read_text().replace('source: "orders"', 'source: "ordres"'))
    done = run("pipeline", command, str(project))
    assert done.code == 1
    (line,) = done.err.splitlines()
    assert "spark.barnabas.source is ordres, but there is no such topic at" in line
    assert f"barnabas topics create ordres -b {served.servers}" in line


def test_no_broker_is_found_before_spark_starts(tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    assert run("pipeline", "init", str(folder), "--template", "copy", "-b", "localhost:1").code == 0
    done = run("pipeline", "run", str(folder))
    assert done.code == 1
    (line,) = done.err.splitlines()
    assert "localhost:1" in line
