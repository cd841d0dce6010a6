"""What docs/groups.md tells its reader to type, in its order, against a broker on another port."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands.pages.pages import ROOT, environment, run_program, type_command
from tests.commands.served import Done, Served, serving

PAGE = (ROOT / "docs" / "groups.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
(SERVE,) = [text for _, text in BLOCKS if text.startswith("barnabas serve")]


@pytest.fixture(scope="module")
def broker() -> Iterator[Served]:
    with serving(*SERVE.split()[2:]) as served:
        yield served


def test_the_page_works_in_its_order(broker: Served, tmp_path: Path) -> None:
    typed = environment(broker.servers, tmp_path)
    done: dict[str, list[Done]] = {}
    for language, text in BLOCKS:
        if language == "python":
            done.setdefault("programs", []).append(
                run_program(text, broker.servers, typed, tmp_path)
            )
        elif language != "mermaid" and text != SERVE:  # pictures are not typed
            for line in text.splitlines():
                done.setdefault(line, []).append(type_command(line, typed, tmp_path))
    taken, written = (one.out for one in done["programs"])
    assert (taken, written) == ("20 20\n", "True\n")
    listed, shared = done["barnabas groups list --lag"]
    assert [line.split("\t")[-1] for line in listed.lines] == ["14"]
    assert [line.split("\t")[:2] for line in shared.lines] == [["helpers", "share"]]
    assert [line.split("\t")[-1] for line in shared.lines] == ["0"]
    (described,) = done["barnabas groups describe readers"]
    assert sum(int(line.split("\t")[4] or 0) for line in described.lines) == 14
    (clamped,) = done["barnabas groups reset readers -t dogs --to 999999"]
    assert all(line.endswith("\t999999") for line in clamped.lines)
    found, none = done["barnabas transactions find-hanging --topic cats"]
    (line,) = found.lines
    assert line.split("\t")[4:] == ["cats:0", "0"]
    assert none.lines == []
