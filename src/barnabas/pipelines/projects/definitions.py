"""Run the files of a project, and register their outputs and flows."""

import importlib.util
import os
import re
import traceback
from collections.abc import Callable
from contextlib import AbstractContextManager, chdir, nullcontext
from pathlib import Path
from typing import Any, Final

from pyspark.errors import PySparkException
from pyspark.pipelines.graph_element_registry import (
    GraphElementRegistry,
    graph_element_registration_context,
)

from barnabas.pipelines.projects.errors import ProjectError
from barnabas.pipelines.projects.project import Project, definition_files
from barnabas.pipelines.projects.sink_check import SinkCheck

_CODE: Final = "[BARNABAS_"
_CAUSE: Final = "Error: "
_FOLLOWS: Final = "is defined in the pipeline but could not be resolved"
"""Spark's text after the name of a flow that fails because a flow that it reads has failed."""
_REMOTE: Final = re.compile(r'RPC that terminated with:.*?details = "(.+?)"\n', re.DOTALL)
"""Matches an error of Spark's server that Spark Connect does not know."""


def register(
    project: Project,
    registry: GraphElementRegistry,
    spark: Any,
    around: Callable[[], AbstractContextManager[object]] = nullcontext,
) -> None:
    """Run the Python files and hand over the SQL files, with the project's folder as current one.

    Args:
        project: names the files.
        registry: gets what they define.
        spark: the session, which Python files find as `spark`.
        around: makes the context in which a Python file runs.

    Raises:
        ProjectError: a file is wrong; names the file, and the line in it.
    """
    checked = SinkCheck(registry)
    with chdir(project.folder), graph_element_registration_context(checked):
        for path in definition_files(project):
            if path.suffix == ".sql":
                text = path.read_text(encoding="utf-8")
                try:
                    registry.register_sql(text, path.relative_to(project.folder))
                except PySparkException as error:
                    raise ProjectError(f"{path}: {sentence(error)}") from error
            else:
                with around():
                    _run_file(path, spark)


def _run_file(path: Path, spark: Any) -> None:
    found = importlib.util.spec_from_file_location(path.stem, path)
    if found is None or found.loader is None:
        raise ProjectError(f"{path}: Python cannot load it")
    module = importlib.util.module_from_spec(found)
    module.__dict__["spark"] = spark
    try:
        found.loader.exec_module(module)
    except SyntaxError as error:
        raise ProjectError(f"{path}, line {error.lineno}: {error.msg}") from error
    except Exception as error:
        lines = [
            frame.lineno
            for frame in traceback.extract_tb(error.__traceback__)
            if frame.filename == os.fspath(path)
        ]
        place = f"{path}, line {lines[-1]}" if lines else str(path)
        raise ProjectError(f"{place}: {type(error).__name__}: {sentence(error)}") from error


def sentence(error: BaseException | str) -> str:
    """The first sentence of Spark's error, or our own sentence that it wraps."""
    text = str(error)
    remote = _REMOTE.search(text)
    lines = [line.strip() for line in (remote[1] if remote else text).splitlines() if line.strip()]
    ours = [line[line.index(_CODE) :] for line in lines if _CODE in line]
    causes = [
        line.removeprefix(_CAUSE)
        for line in lines
        if line.startswith(_CAUSE) and _FOLLOWS not in line
    ]
    return (ours or causes or lines or [type(error).__name__])[0]
