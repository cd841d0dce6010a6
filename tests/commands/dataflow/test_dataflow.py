"""`barnabas archive`, `replay` and `compare` as a user types them."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands.pages.pages import SECONDS, blocks, environment, type_command
from tests.commands.served import BARNABAS, Served, serving

PAGE = "docs/archive-and-mirror.md"


@pytest.fixture(scope="module")
def broker() -> Iterator[Served]:
    with serving("--ephemeral") as served:
        yield served


@pytest.mark.spark
@pytest.mark.long
@pytest.mark.timeout(900)
def test_the_pages_commands(broker: Served, tmp_path: Path) -> None:
    typed = environment(broker.servers, tmp_path)
    lines = [line for block in blocks(PAGE, "sh") for line in block.splitlines()]
    shown = {line: type_command(line, typed, tmp_path).out for line in lines}
    archived, replayed, compared, again = (
        next(out for line, out in shown.items() if line.startswith(f"barnabas {start}"))
        for start in ("archive", "replay", "compare animals", "compare ./")
    )
    assert archived.splitlines()[0].split("\t")[:2] == ["animals", "0"]
    assert {line.split("\t")[-1] for line in replayed.splitlines()} == {"yes"}
    assert {line.split("\t")[-1] for line in compared.splitlines()} == {"yes"}
    assert json.loads(again)["equal"] is True
    broker.run("produce", "animals-again", stdin="one more\n")
    differs = subprocess.run(
        [*BARNABAS, "compare", "animals", "animals-again", "--json"],
        capture_output=True,
        timeout=SECONDS,
        check=False,
        env=typed,
    )
    found = json.loads(differs.stdout)
    assert (differs.returncode, found["equal"]) == (1, False)
    assert [one["difference"] for one in found["differences"]] == ["surplus"]


def test_what_is_not_there(broker: Served, tmp_path: Path) -> None:
    missing = broker.run("archive", "--to", str(tmp_path))
    assert (missing.code, "TOPICS" in missing.err) == (2, True)
    empty = broker.run("archive", "", "--to", str(tmp_path))
    assert (empty.code, "the name of the topic is empty" in empty.err) == (2, True)
