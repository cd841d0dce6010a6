"""What is written about the project agrees with the project."""

import re
from pathlib import Path

from docs.make_configuration import page

ROOT = Path(__file__).parents[2]


def test_the_configuration_page_is_what_the_rows_say() -> None:
    written = (ROOT / "docs/configuration.md").read_text(encoding="utf-8")
    assert written == page(), "run `make docs`"


def test_links_between_pages_lead_somewhere() -> None:
    broken = [
        f"{path.name} -> {target}"
        for path in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
        for target in re.findall(r"\]\(([^)#\s]+)", path.read_text(encoding="utf-8"))
        if "://" not in target and not (path.parent / target).exists()
    ]
    assert not broken
