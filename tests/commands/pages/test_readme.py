"""Each command and program of README and of the pages on broker and commands, typed as it stands."""

import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands.pages.pages import blocks, environment, lines, run_program, type_command
from tests.commands.served import BARNABAS, Served, serving

README = "README.md"
TYPED = [line for page in (README, "docs/broker.md", "docs/commands.md") for line in lines(page)]
SERVES = sorted({line for line in TYPED if line.startswith("barnabas serve")})
COMMANDS = [
    line for line in TYPED if "barnabas" in line and not re.match(r"(pip|barnabas serve)", line)
]
PROGRAMS = [one for one in blocks(README, "python") if "spark" not in one]
SPARK = [one for one in blocks(README, "python") if "spark" in one]
LOG = Path(__file__).parents[2] / "vectors" / "logs" / "kafka-4.3.0" / "corpus-0"
STOCK = Path(__file__).parents[1] / "stock" / "kafka-4.properties"


@pytest.fixture(scope="module")
def broker() -> Iterator[Served]:
    with serving("--ephemeral") as served:
        yield served


@pytest.fixture(scope="module")
def typed(broker: Served, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return environment(broker.servers, tmp_path_factory.mktemp("bin"))


def test_there_is_something_to_try() -> None:
    assert len(COMMANDS) >= 10
    assert len(SERVES) >= 4
    assert len(PROGRAMS) >= 2
    assert len(SPARK) == 1


def test_every_command_works_in_its_order(typed: dict[str, str], tmp_path: Path) -> None:
    # What `barnabas log` looks at: the data directory of the pages, with a log in it.
    shutil.copytree(LOG, tmp_path / "barnabas-data" / "animals-0")
    for line in COMMANDS:
        assert not type_command(line, typed, tmp_path).err, line


@pytest.mark.parametrize("line", SERVES)
def test_every_broker_serves(line: str, tmp_path: Path) -> None:
    shutil.copy(STOCK, tmp_path / "server.properties")
    _, *arguments = shlex.split(line)
    # The last port counts: one that nobody else on this machine has.
    command = [*BARNABAS, *arguments, "--port", "0", "--json"]
    with serving(command=command, cwd=tmp_path) as broker:
        assert broker.run("produce", "greetings", stdin="hello\n").code == 0
        assert broker.run("consume", "greetings", "--from-beginning", "-e").lines == ["hello"]


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_program_runs(
    program: str, broker: Served, typed: dict[str, str], tmp_path: Path
) -> None:
    assert run_program(program, broker.servers, typed, tmp_path).out


@pytest.mark.spark
@pytest.mark.timeout(600)
@pytest.mark.parametrize("program", SPARK)
def test_the_program_with_spark_runs(
    program: str, broker: Served, typed: dict[str, str], tmp_path: Path
) -> None:
    broker.run("produce", "greetings", "-k", "3", stdin="17\n")
    shown = run_program(program, broker.servers, typed, tmp_path).out
    assert re.search(r"\|\s*key\|\s*value\|partition\|offset\|", shown)
    assert shown.count("\n|") >= 2, "a head and a row"
