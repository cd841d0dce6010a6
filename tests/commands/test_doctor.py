"""`barnabas doctor`: what it finds on this machine, and in what others have taken."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.commands.served import BARNABAS, SECONDS, Done, environment, run, serving


def rows(done: Done) -> dict[str, dict[str, str]]:
    return {row["check"]: row for row in json.loads(done.out)}


def test_a_machine_that_has_all_it_needs(tmp_path: Path) -> None:
    data = tmp_path / "data"
    done = run("doctor", "--port", "0", "--data-dir", str(data), "--json")
    found = rows(done)
    assert done.code == 0, done.err
    assert list(found) == [
        "python",
        "kernels",
        "arrow",
        "spark",
        "pipelines",
        "protobuf",
        "console",
        "metrics",
        "opentelemetry",
        "zookeeper",
        "java",
        "port",
        "descriptors",
        "data directory",
        "disk",
    ]
    assert found["data directory"]["found"] == f"{data} is made by the first start"
    assert not data.exists()


def test_a_port_that_is_taken_and_a_directory_that_is_in_use(tmp_path: Path) -> None:
    with serving("--data-dir", str(tmp_path)) as broker:
        port = broker.servers.rpartition(":")[2]
        done = run("doctor", "--port", port, "--data-dir", str(tmp_path), "--json")
    found = rows(done)
    assert done.code == 0
    assert found["port"]["state"] == "warning"
    assert "fine if that is your broker" in found["port"]["remedy"]
    assert "--port 0 takes any" in found["port"]["remedy"]
    assert found["data directory"]["found"] == f"a broker is running on {tmp_path}"
    after = rows(run("doctor", "--port", port, "--data-dir", str(tmp_path), "--json"))
    assert after["port"]["state"] == after["data directory"]["state"] == "ok"


def test_a_data_directory_that_is_a_file(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    done = run("doctor", "--port", "0", "--data-dir", str(file))
    assert done.code == 1
    assert f"data directory\tproblem\t{file} is not a directory\t" in done.out


@pytest.mark.parametrize(
    ("variable", "value", "check", "words"),
    [
        ("BARNABAS_KERNELS", "pure", "kernels", "20 to 100 times slower"),
        ("PATH", "/nowhere", "java", "Java"),
    ],
)
def test_what_the_environment_takes_away(variable: str, value: str, check: str, words: str) -> None:
    changed = environment("") | {variable: value, "JAVA_HOME": ""}
    done = subprocess.run(
        [*BARNABAS, "doctor", "--port", "0", "--json"],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        env=changed,
    )
    found = {row["check"]: row for row in json.loads(done.stdout)}
    assert words in found[check]["found"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_that_may_not_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    done = run("doctor", "--port", "0", "--data-dir", str(tmp_path / "data"), "--json")
    assert done.code == 1
    assert rows(done)["data directory"]["found"] == f"{tmp_path} cannot be written"


def test_a_file_of_properties_and_what_it_names(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    second.touch()
    file = tmp_path / "server.properties"
    file.write_text(f"listeners=PLAINTEXT://localhost:0\nlog.dirs={first},{second}\nnum.dogs=3\n")
    done = run("doctor", "--config", str(file))
    assert done.code == 1
    found = [line.split("\t") for line in done.lines]
    assert [row[2] for row in found if row[0] == "port"] == ["localhost:0 is free"]
    assert [row[1:3] for row in found if row[0] == "data directory"] == [
        ["ok", f"{first} is made by the first start"],
        ["problem", f"{second} is not a directory"],
    ]
    (config,) = [row for row in found if row[0] == "config"]
    assert config[1] == "warning"
    assert "num.dogs (server.properties:3)" in config[2]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("log.segment.bytes=abc", "log.segment.bytes=abc: it must be a whole number"),
        ("listeners=SASL_SSL://:9092", "SASL_SSL"),
        (None, "No such file"),
    ],
)
def test_a_file_with_which_no_broker_would_start(
    tmp_path: Path, text: str | None, says: str
) -> None:
    file = tmp_path / "server.properties"
    if text is not None:
        file.write_text(text)
    done = run("doctor", "--config", str(file), "--json")
    found = rows(done)
    assert done.code == 1
    assert found["config"]["state"] == "problem"
    assert says in found["config"]["found"]
    assert found["config"]["remedy"] == f"correct {file}: a broker would not start with it"
    assert found.keys().isdisjoint({"port", "data directory"})
