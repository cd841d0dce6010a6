"""`make docs-site`: all pages, a search and the API; a broken link or name fails it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from docs import make_site

pytest.importorskip("mkdocs")
pytest.importorskip("mkdocstrings")
pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

ROOT = Path(__file__).parents[3]


def build(sources: Path, site: Path) -> subprocess.CompletedProcess[str]:
    """Build the site from other sources into another folder."""
    config = ROOT / "mkdocs.yml"
    text = re.sub(r"^docs_dir: .*", f"docs_dir: {sources}", config.read_text(), flags=re.MULTILINE)
    text = text.replace("paths: [src]", f"paths: [{ROOT / 'src'}]")
    (sources.parent / "mkdocs.yml").write_text(text)
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(site)],
        cwd=sources.parent,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
    )


def test_all_pages_are_built_and_a_broken_link_is_not(tmp_path: Path) -> None:
    sources, site = tmp_path / "sources", tmp_path / "site"
    pages = make_site.write_sources(sources)
    built = build(sources, site)
    assert built.returncode == 0, built.stderr
    for page in pages:
        name = "index" if page.stem == "README" else page.stem
        assert (site / page.parent / f"{name}.html").exists(), page
    assert "send_offsets_to_transaction" in (site / "api" / "driver.html").read_text()
    assert "EmbeddedBroker" in (site / "search" / "search_index.json").read_text()
    elsewhere = re.findall(
        r'<(?:script|link)[^>]+"(https?://[^"]+)"', (site / "index.html").read_text()
    )
    assert not elsewhere, "a page loads nothing from elsewhere"

    with (sources / "docs" / "driver.md").open("a") as broken_page:
        broken_page.write("\n[gone](driver.md#nothing-of-this-name)\n")
    broken = build(sources, site)
    assert broken.returncode == 1
    assert "nothing-of-this-name" in broken.stderr
