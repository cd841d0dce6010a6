"""Which form of the kernels a process takes, and what it says about it."""

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import barnabas
from barnabas import kernels
from barnabas.kernels import implementation, layout
from tests.kernel_forms import FAMILIES, FUZZED_ELSEWHERE

PACKAGE = Path(barnabas.__file__).parent
TESTS = Path(__file__).parents[2]
TELL = """
from barnabas.kernels import implementation
from barnabas.broker.connections import connection
from barnabas.kernels.batches import record
print(implementation, record.__file__, connection.__file__)
"""
SOURCES = ["pure", "record_plain.py", "connection.py"]


def run(source: Path, wanted: str | None) -> subprocess.CompletedProcess[str]:
    environment = {key: each for key, each in os.environ.items() if key != "BARNABAS_KERNELS"}
    environment["PYTHONPATH"] = str(source)
    if wanted is not None:
        environment["BARNABAS_KERNELS"] = wanted
    command = (sys.executable, "-c", TELL)
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def uncompiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package without extension modules, and the folder it is in."""
    source = tmp_path_factory.mktemp("source")
    ignored = shutil.ignore_patterns("*.so", "*.pyd", "*.c", "__pycache__")
    shutil.copytree(PACKAGE, source / "barnabas", ignore=ignored)
    return source


@pytest.mark.skipif(implementation != "compiled", reason="nothing is compiled here")
@pytest.mark.parametrize("wanted", [None, "", "compiled"])
def test_the_compiled_form_where_there_is_one(wanted: str | None) -> None:
    done = run(PACKAGE.parent, wanted)
    form, *paths = done.stdout.split()
    assert form == "compiled"
    assert [path.endswith(".py") for path in paths] == [False, False]
    assert done.stderr == ""


def test_the_sources_where_they_are_wanted() -> None:
    done = run(PACKAGE.parent, "pure")
    form, *paths = done.stdout.split()
    assert [form, *(Path(path).name for path in paths)] == SOURCES
    assert done.stderr == ""


def test_the_sources_where_there_is_nothing_else(uncompiled: Path) -> None:
    done = run(uncompiled, None)
    assert done.stdout.split()[0] == "pure"
    (line,) = done.stderr.splitlines()
    assert "the kernels are not compiled" in line
    assert "BARNABAS_KERNELS=pure hides this" in line


def test_no_way_around_compiled(uncompiled: Path) -> None:
    done = run(uncompiled, "compiled")
    assert done.returncode != 0
    last = done.stderr.splitlines()[-1]
    assert last.startswith(
        "ImportError: BARNABAS_KERNELS=compiled, but not compiled: columns.partitioning"
    )


def test_one_missing_extension_is_as_good_as_all(uncompiled: Path, tmp_path: Path) -> None:
    if implementation != "compiled":
        pytest.skip("nothing is compiled here")
    shutil.copytree(uncompiled / "barnabas", tmp_path / "barnabas")
    for built in PACKAGE.rglob("*.so"):
        if not built.name.startswith("scanning."):
            shutil.copy(built, tmp_path / "barnabas" / built.parent.relative_to(PACKAGE))
    done = run(tmp_path, None)
    form, *paths = done.stdout.split()
    assert [form, *(Path(path).name for path in paths)] == SOURCES
    assert (
        run(tmp_path, "compiled").stderr.splitlines()[-1].endswith("not compiled: columns.scanning")
    )


def test_a_form_that_nobody_knows() -> None:
    last = run(PACKAGE.parent, "fast").stderr.splitlines()[-1]
    assert last == "ImportError: BARNABAS_KERNELS is 'fast'; it can be compiled or pure"


def test_the_constants_of_compiled_kernels_are_those_of_the_layout() -> None:
    text = Path(layout.__file__).with_suffix(".pxd").read_text()
    compiled = {name: int(value) for name, value in re.findall(r"    (\w+) = (-?\d+)", text)}
    reported = {name: value for name, value in vars(layout).items() if isinstance(value, int)}
    assert compiled == reported


def test_every_family_is_fuzzed_or_listed_where_else() -> None:
    families = {
        f"{path.parent.name}.{path.stem}"
        for path in (PACKAGE / "kernels").rglob("*.py")
        if path.stem not in {"__init__", "shadow"}
        and not path.stem.endswith("_plain")
        and not path.with_suffix(".pxd").exists()
    }
    assert families == set(kernels.FAMILIES)
    assert families == set(FAMILIES) | set(FUZZED_ELSEWHERE)
    for name in FUZZED_ELSEWHERE.values():
        assert (TESTS / name).is_file()


def slots_of(module: Path) -> dict[str, set[str]]:
    """The attributes that the classes of a source name in `__slots__`."""
    return {
        node.name: set(ast.literal_eval(line.value))
        for node in ast.parse(module.read_text()).body
        if isinstance(node, ast.ClassDef)
        for line in node.body
        if isinstance(line, ast.Assign) and ast.unparse(line.targets[0]) == "__slots__"
    }


def test_each_typed_module_is_listed_and_its_types_are_of_the_attributes_that_it_has() -> None:
    types = [path for path in PACKAGE.rglob("*.pxd") if PACKAGE / "kernels" not in path.parents]
    names = {".".join(path.relative_to(PACKAGE).with_suffix("").parts) for path in types}
    assert names == set(kernels.TYPED)
    for path in types:
        slots = slots_of(path.with_suffix(".py"))
        for name, body in re.findall(
            r"^cdef class (\w+).*:\n((?:    .*\n|\n)*)", path.read_text(), re.MULTILINE
        ):
            declared = re.findall(r"^    cdef public (?:long long|\w+) (.*)$", body, re.MULTILINE)
            assert {one for line in declared for one in line.split(", ")} == slots[name], path
