"""What is written about the project agrees with the project."""

import ast
import inspect
import re
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from barnabas import Admin, Consumer, Producer, ShareConsumer
from docs import make_compatibility, make_configuration, make_protocol, make_site

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("name", "page"),
    [
        ("compatibility.md", make_compatibility.page()),
        ("configuration.md", make_configuration.page()),
        ("protocol.md", make_protocol.page()),
    ],
    ids=["compatibility", "configuration", "protocol"],
)
def test_pages_are_what_the_source_says(name: str, page: str) -> None:
    written = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert written == page, "run `make docs`"


@pytest.mark.parametrize("kind", [Producer, Consumer, ShareConsumer, Admin])
def test_all_calls_of_the_driver_are_documented(kind: type) -> None:
    page = (ROOT / "docs" / "driver.md").read_text(encoding="utf-8")
    table = page.partition(f"| `{kind.__name__}` | |")[2].partition("\n\n")[0]
    calls = "\n".join(line.split(" | ")[0] for line in table.splitlines())
    reported = dict(re.findall(r"`(\w+)\(([^`]*)\)`", calls))
    own = [each for each in kind.__mro__ if each.__module__.startswith("barnabas.")]
    assert set(reported) == {
        name for each in own for name in vars(each) if not name.startswith("_")
    }
    for name, arguments in reported.items():
        named = [each.strip("*") for each in arguments.split(", ") if re.fullmatch(r"\**\w+", each)]
        known = inspect.signature(getattr(kind, name)).parameters
        assert "columns" in known or set(named) <= {"partition", *known}, name


def test_links_between_pages_lead_somewhere() -> None:
    broken = [
        f"{path.name} -> {target}"
        for path in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
        for target in re.findall(r"\]\(([^)#\s]+)", path.read_text(encoding="utf-8"))
        if "://" not in target and not (path.parent / target).exists()
    ]
    assert not broken


def test_tests_that_pages_name_are_there() -> None:
    gone = [
        f"{path.name}: {named}"
        for path in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
        for named in re.findall(r"`(tests/[\w/.-]+)(?:::\w+)?`", path.read_text(encoding="utf-8"))
        if not (ROOT / named).exists()
    ]
    assert not gone


def test_pages_name_tests_by_their_whole_path() -> None:
    """All but the page of the seeds, whose head says where its names begin."""
    cut = [
        f"{path.name}: {named}"
        for path in (ROOT / "docs").glob("*.md")
        if path.name != "seeds.md"
        for named in re.findall(r"`([\w/]*test_\w+\.py)", path.read_text(encoding="utf-8"))
        if not named.startswith("tests/")
    ]
    assert not cut


@cache
def _tests_in(path: Path) -> frozenset[str]:
    """The names of the tests of a file: `test_x`, or `TestY::test_x` in a class."""
    found: set[str] = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.ClassDef):
            found.update(f"{node.name}::{one.name}" for one in node.body if hasattr(one, "name"))
    return frozenset(found)


def test_tests_and_sources_that_the_page_of_the_seeds_names_are_there() -> None:
    page = (ROOT / "docs" / "seeds.md").read_text(encoding="utf-8")
    gone: list[str] = []
    named, file = 0, ""
    for line in page.partition("## Seed 000")[2].splitlines():
        for found, test in re.findall(r"`([\w/]*\.py)?::([\w:]+)`", line):
            file = found or file  # A name without a file is in the file named before it.
            named += 1
            path = ROOT / "tests" / file
            if not path.is_file() or test not in _tests_in(path):
                gone.append(f"{file}::{test}")
        for source in re.findall(r"`([\w/]+/\w+\.py)`", line):
            places = [ROOT / below / source for below in ("", "tests", "src/barnabas")]
            gone += [] if any(map(Path.is_file, places)) else [source]
    assert named > 200
    assert not gone


def test_the_site_has_every_page_and_each_part_of_its_api_is_there(tmp_path: Path) -> None:
    pages = {page.as_posix() for page in make_site.write_sources(tmp_path)}
    navigation = re.findall(
        r": ([\w./-]+\.md)$|- (README\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE
    )
    assert {named or alone for named, alone in navigation} == pages
    missing = [
        one for _, *described in make_site.API.values() for one in described if not _found(one)
    ]
    assert not missing


def _found(name: str) -> bool:
    """Whether there is a module of this name, or something of this name in one."""
    module, _, last = name.rpartition(".")
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:  # The part before the dot is no package.
        return hasattr(import_module(module), last)
