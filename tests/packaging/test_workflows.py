"""The workflows name verbs that there are, and install what tests would skip without."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.interop.tools.test_testing_kit import LIBRARIES

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def commands(file: Path) -> list[str]:
    """The commands of all steps."""
    jobs: dict[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))["jobs"]
    return [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_workflow_has_jobs_with_a_machine_and_verbs_that_there_are(file: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    verbs = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    asked = {verb for each in commands(file) for verb in re.findall(r"make ([a-z-]+)", each)}
    assert asked <= verbs
    workflow = yaml.safe_load(file.read_text(encoding="utf-8"))
    assert all(job["runs-on"] and job["steps"] for job in workflow["jobs"].values())


def test_shells_promtool_and_libraries_are_installed() -> None:
    asked = " ".join(commands(ROOT / ".github" / "workflows" / "ci.yml"))
    for package in ("zsh", "fish", "prometheus"):
        assert re.search(rf"apt-get install .*\b{package}\b", asked), package
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = " ".join(project["optional-dependencies"]["dev"])
    for library in LIBRARIES.values():
        assert library in asked or library in named, library


def test_the_long_tests_run_by_schedule() -> None:
    text = (ROOT / ".github" / "workflows" / "long.yml").read_text(encoding="utf-8")
    # YAML reads a bare `on` as true.
    assert "cron" in yaml.safe_load(text)[True]["schedule"][0]
    assert commands(ROOT / ".github" / "workflows" / "long.yml") == ["make long"]
