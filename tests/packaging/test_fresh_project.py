"""A pipeline project in an environment that has nothing but barnabas and its extra, as the docs say."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.spark, pytest.mark.long, pytest.mark.timeout(1800)]

ROOT = Path(__file__).parents[2]
KEPT = {"HOME", "LANG", "TMPDIR", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"}
SENT = 'ann:{"customer": "ann", "amount": 9.5}\nbob:{"customer": "bob", "amount": 1}\n'


class Terminal:
    """Runs commands as the user of an environment, who has no variables of ours and no source tree."""

    def __init__(self, commands: Path, folder: Path) -> None:
        self._program = str(commands / "barnabas")
        self._folder = folder
        self._environment = {key: value for key, value in os.environ.items() if key in KEPT}
        self._environment["PATH"] = f"{commands}:/usr/bin:/bin"

    def run(self, *arguments: str, given: str = "") -> str:
        """What a command prints, which must succeed."""
        process = self.start(*arguments)
        out, err = process.communicate(given, timeout=900)
        assert process.returncode == 0, out + err
        return out

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """A command that runs until it is stopped."""
        return subprocess.Popen(
            [self._program, *arguments], cwd=self._folder, env=self._environment,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The commands of a new environment, into which only barnabas[pipelines] is installed."""
    folder = tmp_path_factory.mktemp("fresh")
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    place = folder / "bin"
    install = [str(place / "python"), "-m", "pip", "install", "--quiet", f"{ROOT}[pipelines]"]
    subprocess.run(install, check=True, env=os.environ | {"BARNABAS_KERNELS": "pure"})
    return place


@pytest.fixture
def terminal(commands: Path, tmp_path: Path) -> Terminal:
    """A terminal in an empty folder."""
    return Terminal(commands, tmp_path)


def test_the_first_project_twice(terminal: Terminal) -> None:
    """From `init` to the target topic, and again with new records between."""
    broker = terminal.start("serve", "--port", "0", "--json", "--data-dir", "data")
    assert broker.stdout is not None
    try:
        servers = json.loads(broker.stdout.readline())["bootstrap_servers"]
        there = ("-b", servers)
        for topic in ("orders", "orders-clean"):
            terminal.run("topics", "create", topic, *there)
        terminal.run("pipeline", "init", "shop", "--template", "medallion", *there)
        for expected in (2, 4):
            terminal.run("produce", "orders", "-K", ":", *there, given=SENT)
            terminal.run("pipeline", "run", "shop")
            clean = terminal.run("consume", "orders-clean", "--from-beginning", "--exit", *there)
            assert sorted(json.loads(line)["customer"] for line in clean.splitlines()) == sorted(
                ["ann", "bob"] * (expected // 2)
            )
        assert json.loads(terminal.run("pipeline", "verify", "shop", "--json"))["equal"]
    finally:
        broker.terminate()
        broker.communicate(timeout=60)
