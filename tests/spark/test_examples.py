"""The notebooks of `examples/`: what stands below their cells is what the cells show today."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))

pytestmark = [pytest.mark.spark, pytest.mark.long, pytest.mark.timeout(600)]


def words(texts: list[str]) -> list[str]:
    """Without where lines are broken, which Jupyter does in long values."""
    return " ".join(texts).split()


def kept(cell: dict[str, Any]) -> list[str]:
    """The text below a cell; that of a plot says only that it is one."""
    found = []
    for each in cell["outputs"]:
        if each["output_type"] == "stream":
            found.append("".join(each["text"]))
        elif each["output_type"] == "execute_result":
            found.append("".join(each["data"]["text/plain"]))
    return found


@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_a_notebook_shows_what_it_has_kept(path: Path, tmp_path: Path) -> None:
    cells = [
        cell
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
        if cell["cell_type"] == "code"
    ]
    done = subprocess.run(
        [sys.executable, "-m", "tests.spark.notebook_program", str(path)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    for cell, shown in zip(cells, json.loads(done.stdout.splitlines()[-1]), strict=True):
        assert words(shown) == words(kept(cell)), "".join(cell["source"])
    pictures = [
        each for cell in cells for each in cell["outputs"] if "image/png" in each.get("data", {})
    ]
    assert pictures, "a notebook has a plot"
