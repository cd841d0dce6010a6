"""A pipeline project as its spark-pipeline.yml describes it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

import yaml
from pyspark.errors import PySparkException
from pyspark.pipelines.cli import PIPELINE_SPEC_FILE_NAMES, PipelineSpec, unpack_pipeline_spec

from barnabas.pipelines.projects.errors import ProjectError
from barnabas.pipelines.projects.templates import DEFAULTS

_OURS: Final = "spark.barnabas."
SERVERS: Final = f"{_OURS}servers"
"""The entry of `configuration` with the brokers' addresses; the others of ours name topics."""

SOURCE: Final = f"{_OURS}source"
"""The prefix of the entries whose topics are read."""


@dataclass(frozen=True, slots=True)
class Project:
    """A spec that was read, and the file that it is in."""

    path: Path
    spec: PipelineSpec

    @property
    def folder(self) -> Path:
        """The folder of the spec, to which its file patterns are relative."""
        return self.path.parent

    @property
    def name(self) -> str:
        """The pipeline's name."""
        return self.spec.name

    @property
    def configuration(self) -> Mapping[str, str]:
        """Spark's properties, and the project's own."""
        return self.spec.configuration

    @property
    def storage(self) -> Path:
        """The directory of checkpoints.

        Raises:
            ProjectError: it is not on this machine.
        """
        parts = urlsplit(self.spec.storage)
        if parts.scheme not in {"", "file"}:
            raise ProjectError(
                f"{self.path}: storage is {self.spec.storage}; this command reads checkpoints from "
                "a file system of this machine only (file:///...)"
            )
        return Path(unquote(parts.path))


def load_project(where: Path) -> Project:
    """Read the spec of a project.

    Args:
        where: the project's folder, or its spark-pipeline.yml.

    Raises:
        ProjectError: there is none, or it has a mistake.
    """
    path = _spec_path(where).absolute()
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        if not isinstance(content, dict):
            raise ProjectError(f"{path} has no `name:`, `storage:` and `libraries:`")
        spec = unpack_pipeline_spec(content)
    except yaml.YAMLError as error:
        raise ProjectError(f"{path} is not YAML: {' '.join(str(error).split())}") from None
    except PySparkException as error:
        raise ProjectError(f"{path}: {' '.join(str(error).split())}") from None
    except (TypeError, KeyError, AttributeError):
        raise ProjectError(
            f"{path}: expected libraries as a list of `- glob:` with an `include:` below each"
        ) from None
    project = Project(path, spec)
    if not definition_files(project):
        patterns = ", ".join(each.include for each in spec.libraries) or "nothing"
        raise ProjectError(
            f"{path} finds no .py or .sql file: libraries include {patterns}, relative to its folder"
        )
    return project


def start_settings(project: Project) -> dict[str, str]:
    """The settings of the project's session: its spark-defaults.conf, and its configuration.

    Raises:
        ProjectError: a line of the file is no `name value`.
    """
    settings = {}
    path = project.folder / DEFAULTS
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    for number, line in enumerate(lines, start=1):
        if line.strip() and not line.lstrip().startswith("#"):
            name, *value = line.split(maxsplit=1)
            if not value:
                raise ProjectError(
                    f"{path}, line {number}: expected a name and a value, not {name}"
                )
            settings[name] = value[0].strip()
    return settings | dict(project.configuration)


def servers_of(project: Project) -> str:
    """The brokers' addresses that the project names.

    Raises:
        ProjectError: it names none under this name.
    """
    servers = project.configuration.get(SERVERS)
    if not servers:
        raise ProjectError(
            f"{project.path}: `configuration` has no {SERVERS}: add it, as localhost:9092"
        )
    return servers


def topics_of(project: Project) -> dict[str, str]:
    """The topics that `configuration` names, by the names of their entries."""
    entries = project.configuration.items()
    return {name: topic for name, topic in entries if name.startswith(_OURS) and name != SERVERS}


def definition_files(project: Project) -> list[Path]:
    """The Python and SQL files that define the pipeline."""
    return [
        path
        for library in project.spec.libraries
        for path in sorted(project.folder.glob(library.include))
        if path.is_file() and path.suffix in {".py", ".sql"} and "__pycache__" not in path.parts
    ]


def _spec_path(where: Path) -> Path:
    if where.is_file():
        return where
    for name in PIPELINE_SPEC_FILE_NAMES:
        if (where / name).is_file():
            return where / name
    raise ProjectError(
        f"there is no spark-pipeline.yml in {where.absolute()}: name the folder of a project, or "
        "make one with `barnabas pipeline init NAME --template copy`"
    )
