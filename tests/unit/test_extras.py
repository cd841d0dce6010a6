"""Extras whose packages are missing or too old, by metadata of distributions that the test makes."""

from pathlib import Path

import pytest

from barnabas.errors import ConfigError
from barnabas.extras import check_extra, packages


def distribution(folder: Path, name: str, version: str, *requires: str) -> None:
    """Make what an installed distribution has of metadata."""
    place = folder / f"{name}-{version}.dist-info"
    place.mkdir()
    lines = [f"Name: {name}", f"Version: {version}", *(f"Requires-Dist: {one}" for one in requires)]
    place.joinpath("METADATA").write_text("Metadata-Version: 2.4\n" + "\n".join(lines) + "\n")


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of distributions, found before all others."""
    monkeypatch.syspath_prepend(str(tmp_path))
    distribution(
        tmp_path, "barnabas", "1.0", "click>=8",
        'tail>=2.10; extra == "dog"',
        "barnabas[dog]; extra == 'kennel'",
        'roof[tin]<9,>=1; extra == "kennel"',
        'door>=1; (python_version < "3") and extra == "kennel"',
    )  # fmt: skip
    distribution(tmp_path, "roof", "9.5", 'nail (>=3) ; extra == "tin"', 'moss; extra == "old"')
    return tmp_path


def test_an_extra_has_the_packages_of_those_that_it_includes(installed: Path) -> None:
    distribution(installed, "tail", "2.9.1")
    found = packages("kennel")
    assert [str(one) for one in found] == [
        "tail 2.9.1 (needs >=2.10)",
        "roof 9.5",
        "nail (missing)",
    ]


@pytest.mark.parametrize("version", ["2.10", "2.10.0rc1", "2.11", "3", "10.0"])
def test_a_version_is_compared_by_its_numbers(installed: Path, version: str) -> None:
    distribution(installed, "tail", version)
    check_extra("dog", "dogs")


def test_what_is_wrong_is_named_with_the_remedy(installed: Path) -> None:
    with pytest.raises(ConfigError) as missing:
        check_extra("dog", "dogs")
    assert str(missing.value) == "dogs need tail (missing): pip install 'barnabas[dog]'"
    distribution(installed, "tail", "0.5.0")
    with pytest.raises(ConfigError, match=r"dogs need tail 0\.5\.0 \(needs >=2\.10\): pip"):
        check_extra("dog", "dogs")
