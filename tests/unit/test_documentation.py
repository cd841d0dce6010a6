"""What is written about the project agrees with the project."""

import re
from pathlib import Path

import pytest

from docs import make_compatibility, make_configuration, make_protocol

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


def test_links_between_pages_lead_somewhere() -> None:
    broken = [
        f"{path.name} -> {target}"
        for path in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
        for target in re.findall(r"\]\(([^)#\s]+)", path.read_text(encoding="utf-8"))
        if "://" not in target and not (path.parent / target).exists()
    ]
    assert not broken
