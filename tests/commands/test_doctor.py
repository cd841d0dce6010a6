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
