"""Build the documentation site into build/site; `make docs-site` runs it.

The sources of the site are a copy of the pages and of the files that they link to, in the folders
where they are here; and a page of the API for each part of the package, written from docstrings.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
SOURCES: Final = ROOT / "build" / "site-sources"
PAGES: Final = ("*.md", "docs/*.md", "examples/*.md")
_LINK: Final = re.compile(r"\]\(([^)#\s]+)|<img [^>]*src=\"([^\"]+)\"")

API: Final = {
    "driver": (
        "The driver, for threads",
        "barnabas.client.sync.producer.Producer",
        "barnabas.client.sync.consumer.Consumer",
        "barnabas.client.sync.admin.Admin",
        "barnabas.client.sync.ranges.RangeReader",
    ),
    "asyncio": (
        "The driver, for asyncio",
        "barnabas.client.aio.producer.producer.Producer",
        "barnabas.client.aio.consumer.consumer.Consumer",
        "barnabas.client.aio.admin.admin.Admin",
    ),
    "values": (
        "Values and errors of the driver",
        "barnabas.client.core.admin.descriptions",
        "barnabas.client.core.admin.group_descriptions",
        "barnabas.client.core.cluster.cluster_view",
        "barnabas.client.core.group.listener.RebalanceListener",
        "barnabas.errors",
        "barnabas.types",
    ),
    "testing": (
        "The testing kit",
        "barnabas.testing.embedded_broker.EmbeddedBroker",
        "barnabas.testing.embedded_cluster.EmbeddedCluster",
        "barnabas.testing.broker_case.BrokerCase",
        "barnabas.testing.faults.fault",
        "barnabas.testing.request_log",
    ),
    "pipelines": (
        "Pipelines on Spark",
        "barnabas.spark.sessions.local_session.session",
        "barnabas.pipelines.archives.topic_archive",
        "barnabas.pipelines.archives.archive_replay",
        "barnabas.pipelines.mirrors.topic_mirror",
        "barnabas.pipelines.comparisons.comparison",
        "barnabas.pipelines.record_statistics",
    ),
}
"""The pages of the API: file, title, what is described."""


def write_sources(target: Path) -> list[Path]:
    """Copy the pages and what they link to; write the pages of the API. Returns the pages."""
    shutil.rmtree(target, ignore_errors=True)
    pages = sorted(path.relative_to(ROOT) for each in PAGES for path in ROOT.glob(each))
    for page in pages:
        _copy(page, target)
        for link in _linked(page):
            _copy(link, target)
    for name, (title, *described) in API.items():
        file = target / "api" / f"{name}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        parts = "\n\n".join(f"::: {one}" for one in described)
        file.write_text(f"# {title}\n\n{parts}\n", encoding="utf-8")
        pages.append(file.relative_to(target))
    return pages


def _linked(page: Path) -> set[Path]:
    """The files of this project that a page links to, its pictures among them."""
    text = (ROOT / page).read_text(encoding="utf-8")
    targets = {written or shown for written, shown in _LINK.findall(text)}
    paths = [(ROOT / page.parent / one).resolve() for one in targets if "://" not in one]
    return {path.relative_to(ROOT) for path in paths if path.is_file() and path.suffix != ".md"}


def _copy(path: Path, target: Path) -> None:
    (target / path.parent).mkdir(parents=True, exist_ok=True)
    shutil.copyfile(ROOT / path, target / path)


def main() -> int:
    """Build the site; mkdocs' exit code, which is 1 for a broken link."""
    write_sources(SOURCES)
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"],
        cwd=ROOT,
        check=False,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},  # The theme's word about a later mkdocs.
    )
    if built.returncode == 0:
        sys.stdout.write(
            "the site is in build/site, with a search if a server shows it: "
            "python3 -m http.server --directory build/site\n"
        )
    return built.returncode


if __name__ == "__main__":
    sys.exit(main())
