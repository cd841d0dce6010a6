"""Whatever command a page names exists, with its options; and small programs that need nothing run.

Commands that a test can run are run by test_readme.py, test_pages.py and others; those of this file
also stand on pages about machines that no test has (a second host, a packet filter).
"""

import re
import shlex
from pathlib import Path

import click
import pytest

from barnabas.cli.main import barnabas
from tests.commands.pages.pages import blocks, environment, run_program
from tests.commands.served import Done

ROOT = Path(__file__).parents[3]
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "README.md", *(ROOT / "docs").glob("*.md"), ROOT / "examples" / "README.md")
)
LINES = [
    (page, line.strip())
    for page in PAGES
    for language in ("", "sh")
    for block in blocks(page, language)
    for line in block.replace("\\\n", " ").splitlines()
]
TYPED = [
    (page, command)
    for page, line in LINES
    for command in re.findall(r"(?:^|[|$;] ?|&& )(barnabas [^|&;<>]*)", line.split("  #")[0])
]
INLINE = [
    (page, command)
    for page in PAGES
    for command in re.findall(r"`(barnabas [^`|…\n]+)`", (ROOT / page).read_text(encoding="utf-8"))
]
UNKNOWN = ("No such option", "No such command", "unexpected extra", "is not one of")


def problem(line: str) -> str:
    """What is wrong with a command as it is typed: a name or an option that does not exist."""
    command: click.Command = barnabas
    words = shlex.split(line.replace("'", "") if line.count("'") % 2 else line, comments=True)[1:]
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        name, *words = words
        found = command.get_command(click.Context(command), name)
        if found is None:
            return f"there is no command {name}"
        command = found
    try:
        command.make_context(command.name, [*words], resilient_parsing=False)
    except click.exceptions.Exit:
        return ""
    except click.UsageError as error:
        message = error.format_message()
        return message if any(sign in message for sign in UNKNOWN) else ""
    return ""


def test_there_is_something_to_look_at() -> None:
    assert len(TYPED) > 70
    assert len(INLINE) > 50


@pytest.mark.parametrize("page", PAGES)
def test_commands_in_blocks_are_known(page: str) -> None:
    wrong = {line: problem(line) for where, line in TYPED if where == page}
    assert not {line: why for line, why in wrong.items() if why}


@pytest.mark.parametrize("page", PAGES)
def test_commands_in_sentences_are_known(page: str) -> None:
    # Upper case stands for what the reader has: TOPIC, GROUP.
    wrong = {line: problem(line) for where, line in INLINE if where == page}
    assert not {line: why for line, why in wrong.items() if why and "is not one of" not in why}


@pytest.mark.parametrize(
    "line",
    [
        "barnabas tpics list",
        "barnabas topics lst",
        "barnabas topics list --jsn",
        "barnabas top here",
    ],
)
def test_a_misspelled_one_is_found(line: str) -> None:
    assert problem(line)


@pytest.mark.parametrize(
    ("page", "marker"),
    [("docs/cluster.md", "EmbeddedCluster"), ("docs/profiles.md", '"0.8.2") as')],
)
def test_programs_that_need_nothing_run(page: str, marker: str, tmp_path: Path) -> None:
    (program,) = [one for one in blocks(page, "python") if marker in one]
    done: Done = run_program(program, "", environment("", tmp_path), tmp_path)
    assert "127.0.0.1:" in done.out
