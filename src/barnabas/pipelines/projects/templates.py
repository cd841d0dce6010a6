"""The templates of pipeline projects: each is a folder of files in `templates`.

A new template is a new folder with a README.md, whose first line describes it, a spark-pipeline.yml and
the transformations; and a spark-defaults.conf for what Spark takes at its start only. Places to fill in
are in spark-pipeline.yml and spark-defaults.conf: `$name`, `$servers`, `$folder` and `$folder_uri`.
"""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Template as Text
from typing import Final

from barnabas.pipelines.projects.errors import ProjectError

FOLDER: Final = Path(__file__).with_name("templates")
SPEC: Final = "spark-pipeline.yml"
DEFAULTS: Final = "spark-defaults.conf"
README: Final = "README.md"

_IGNORED: Final = """# What running leaves behind.
/storage/
/spark-warehouse/
/metastore_db/
/broker/
/spark.log
derby.log
__pycache__/
"""


@dataclass(frozen=True, slots=True)
class ProjectTemplate:
    """A template: its name, its folder, and what it makes in one line."""

    name: str
    folder: Path
    summary: str


def templates() -> Mapping[str, ProjectTemplate]:
    """All templates by name."""
    found = {}
    for folder in sorted(FOLDER.iterdir()):
        readme = folder / README
        if readme.is_file():
            summary = readme.read_text(encoding="utf-8").splitlines()[0]
            found[folder.name] = ProjectTemplate(folder.name, folder, summary)
    return found


def write_project(folder: Path, template: ProjectTemplate, servers: str) -> list[Path]:
    """Write a project into a folder that does not exist yet, or is empty.

    Args:
        folder: its name is the pipeline's name.
        template: one of `templates()`.
        servers: the brokers' addresses, host:port with commas between them.

    Returns:
        The files, relative to the folder.

    Raises:
        ProjectError: there is something in the folder already, or its path cannot be used.
    """
    folder = folder.absolute()
    if folder.is_file() or (folder.is_dir() and any(folder.iterdir())):
        raise ProjectError(f"{folder} exists already: choose another name, or remove it")
    if set(str(folder)) & set("\"';$"):
        raise ProjectError(f"{folder}: a pipeline's path may have no quotes, semicolons or dollars")
    shutil.copytree(
        template.folder,
        folder,
        dirs_exist_ok=True,
        ignore=shutil.ignore_patterns("__pycache__"),
        copy_function=shutil.copyfile,
    )
    places = {
        "name": folder.name,
        "servers": servers,
        "folder": str(folder),
        "folder_uri": folder.as_uri(),
    }
    for path in (folder / SPEC, folder / DEFAULTS):
        if path.exists():
            filled = Text(path.read_text(encoding="utf-8")).substitute(places)
            path.write_text(filled, encoding="utf-8")
    readme = folder / README
    text = readme.read_text(encoding="utf-8")
    readme.write_text(f"# {folder.name}: {text}", encoding="utf-8")
    (folder / ".gitignore").write_text(_IGNORED, encoding="utf-8")
    return sorted(each.relative_to(folder) for each in folder.rglob("*") if each.is_file())
