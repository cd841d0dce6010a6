"""The pytest plugin, in runs of pytest of their own."""

import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from barnabas.testing import pytest_plugin

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[3]


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """Runs of pytest that have this plugin, whether or not the package is installed."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    pytester.plugins = ["barnabas.testing.pytest_plugin"]
    return pytester


def passes(run: pytest.Pytester, count: int, *arguments: str) -> None:
    result = run.runpytest_subprocess("-q", *arguments)
    result.assert_outcomes(passed=count)


def test_pytest_finds_it_by_the_entry_point() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    plugin = import_module(project["entry-points"]["pytest11"]["barnabas"])
    assert plugin is pytest_plugin


def test_a_run_that_asks_for_no_broker_imports_none() -> None:
    program = (
        "import sys, barnabas.testing.pytest_plugin\n"
        "print([name for name in sys.modules if name.startswith('barnabas.broker')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def test_each_test_has_a_broker_and_a_topic(run: pytest.Pytester) -> None:
    run.makepyfile(
        """
        from barnabas import Producer

        seen = []


        def test_one(barnabas_broker, barnabas_topic):
            assert barnabas_topic.startswith("test_one")
            with Producer(bootstrap_servers=barnabas_broker.bootstrap_servers) as producer:
                assert producer.send(barnabas_topic, "barks").result().offset == 0
            seen.append((barnabas_broker, barnabas_topic))


        def test_two(barnabas_broker, barnabas_topic):
            assert barnabas_topic.startswith("test_two")
            assert barnabas_broker is not seen[0][0]
            assert not seen[0][0].requests.of("Fetch")
        """
    )
    passes(run, 2)


@pytest.mark.parametrize("scope", ["module", "session"])
def test_tests_share_a_broker_where_the_ini_file_says_so(run: pytest.Pytester, scope: str) -> None:
    run.makeini(f"[pytest]\nbarnabas_broker_scope = {scope}")
    share = """
        import sys

        import pytest

        seen = sys.__dict__.setdefault("brokers_seen", [])


        @pytest.fixture(scope="module")
        def port(barnabas_broker):
            return barnabas_broker.port


        @pytest.mark.parametrize("dog", ["rex", "laika/1"])
        def test_share(barnabas_broker, barnabas_topic, port, dog):
            assert len(barnabas_broker.requests) == 0
            fault = barnabas_broker.faults.fail("Produce", error="NOT_ENOUGH_REPLICAS")
            assert not any(one.is_over is False for one, _, _ in seen)
            assert barnabas_topic not in [topic for _, _, topic in seen]
            seen.append((fault, port, barnabas_topic))


        def test_count():
            ports = {port for _, port, _ in seen}
            assert len(ports) == (EXPECTED if __name__.endswith("second") else 1)
        """
    run.makepyfile(
        test_first=share, test_second=share.replace("EXPECTED", str(2 if scope == "module" else 1))
    )
    passes(run, 6)


def test_a_scope_that_there_is_not_is_an_error(run: pytest.Pytester) -> None:
    run.makeini("[pytest]\nbarnabas_broker_scope = forever")
    run.makepyfile("def test_it(barnabas_broker):\n    pass")
    result = run.runpytest_subprocess("-q")
    assert result.ret != 0
    output = result.stdout.str() + result.stderr.str()
    assert "barnabas_broker_scope=forever: expected one of function, class, module" in output


def test_brokers_of_a_module_and_of_a_run_have_names_of_their_own(run: pytest.Pytester) -> None:
    run.makepyfile(
        """
        import pytest


        @pytest.fixture(scope="session")
        def barnabas_config():
            return {"num.partitions": 3}


        def test_one(barnabas_broker, barnabas_module_broker, barnabas_session_broker):
            brokers = barnabas_broker, barnabas_module_broker, barnabas_session_broker
            assert len({one.port for one in brokers}) == 3


        @pytest.mark.parametrize("barnabas_profile", ["0.10.0", "2.8"])
        def test_two(barnabas_broker, barnabas_profile):
            from barnabas import Admin

            with Admin(bootstrap_servers=barnabas_broker.bootstrap_servers) as admin:
                assert admin.list_topics() is not None
        """
    )
    passes(run, 3)


def test_workers_of_xdist_have_brokers_of_their_own(run: pytest.Pytester) -> None:
    run.makeini("[pytest]\nbarnabas_broker_scope = session")
    run.makepyfile(
        """
        import pytest


        @pytest.mark.parametrize("number", range(6))
        def test_it(barnabas_broker, barnabas_topic, number):
            from barnabas import Producer

            with Producer(bootstrap_servers=barnabas_broker.bootstrap_servers) as producer:
                assert producer.send(barnabas_topic, "barks").result().offset == 0
        """
    )
    passes(run, 6, "-p", "xdist.plugin", "-n", "2")
