"""Doctor on extras, kernels and Java: a missing one is never reported as ok."""

import json
from importlib import metadata
from pathlib import Path

import pytest

from barnabas import kernels
from barnabas.cli.doctor import packages
from barnabas.cli.doctor.finding import Finding, Verdict
from barnabas.cli.doctor.packages import check_java, check_kernels, check_packages
from tests.unit.test_extras import distribution


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A barnabas with two extras, found before the real one."""
    monkeypatch.syspath_prepend(str(tmp_path))
    names = ('tail>=2; extra == "console"', 'roof; extra == "console"', 'moss; extra == "arrow"')
    distribution(tmp_path, "barnabas", "1.0", *names)
    monkeypatch.setattr(packages, "_PURPOSES", {"console": "dogs", "arrow": "cats"})
    return tmp_path


def test_an_extra_that_is_not_installed_is_missing(installed: Path) -> None:
    distribution(installed, "moss", "1.0")
    assert check_packages() == [
        Finding(
            "console",
            Verdict.MISSING,
            "not installed: tail, roof",
            "for dogs: pip install 'barnabas[console]'",
        ),
        Finding("arrow", Verdict.OK, "moss 1.0"),
    ]


def test_an_extra_with_one_that_is_too_old_is_a_problem(installed: Path) -> None:
    distribution(installed, "tail", "1.0")
    found = check_packages()[0]
    assert (found.state, found.found) == (Verdict.PROBLEM, "tail 1.0 (needs >=2), roof (missing)")


def test_a_source_tree_without_an_installation_is_not_ok(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "packages", lambda _extra: [])
    (found,) = check_packages()
    assert (found.check, found.state) == ("packages", Verdict.WARNING)


def test_java_is_missing_without_pyspark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "find_spec", lambda _name: None)
    assert check_java().state is Verdict.MISSING


@pytest.mark.parametrize("compiler", [None, "/usr/bin/gcc"])
def test_kernels_that_are_not_compiled_name_the_compiler_that_is_there(
    monkeypatch: pytest.MonkeyPatch, compiler: str | None
) -> None:
    monkeypatch.delenv("BARNABAS_KERNELS", raising=False)
    monkeypatch.setattr(kernels, "implementation", "plain")
    monkeypatch.setattr(packages, "which", lambda name: compiler if name == "gcc" else None)
    found = check_kernels()
    assert found.state is Verdict.WARNING
    assert ("compiles them with /usr/bin/gcc" in found.remedy) is (compiler is not None)
    assert ("install a wheel, or a C compiler" in found.remedy) is (compiler is None)


@pytest.mark.parametrize(
    ("origin", "again"),
    [
        (None, "--no-binary barnabas barnabas compiles"),
        ("file:///dist/barnabas-0.1.0-cp311.whl", "--no-binary barnabas barnabas compiles"),
        ("https://example.org/barnabas.tar.gz", "--no-binary barnabas barnabas compiles"),
        ("file:///src/old%20dogs", "--no-deps '/src/old dogs' compiles"),
    ],
)
def test_kernels_are_compiled_from_where_barnabas_came_from(
    installed: Path, monkeypatch: pytest.MonkeyPatch, origin: str | None, again: str
) -> None:
    monkeypatch.delenv("BARNABAS_KERNELS", raising=False)
    monkeypatch.setattr(kernels, "implementation", "plain")
    monkeypatch.setattr(packages, "which", lambda _name: "/usr/bin/cc")
    if origin is not None:
        file = installed / "barnabas-1.0.dist-info" / "direct_url.json"
        file.write_text(json.dumps({"url": origin, "dir_info": {}}))
    assert again in check_kernels().remedy


def test_kernels_of_a_source_tree_are_compiled_by_make(monkeypatch: pytest.MonkeyPatch) -> None:
    def not_installed(_name: str) -> None:
        raise metadata.PackageNotFoundError

    monkeypatch.delenv("BARNABAS_KERNELS", raising=False)
    monkeypatch.setattr(kernels, "implementation", "plain")
    monkeypatch.setattr(packages, "which", lambda _name: "/usr/bin/cc")
    monkeypatch.setattr(metadata, "distribution", not_installed)
    assert check_kernels().remedy.startswith("make kernels compiles them with /usr/bin/cc")
