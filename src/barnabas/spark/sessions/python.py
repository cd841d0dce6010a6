"""The Python that Spark starts: the present one, with another daemon than Spark's, and a quicker start.

Spark has a setting for the daemon of tasks. The daemon of planning, which imports data sources and makes
their tasks, is always `-m pyspark.daemon`: a small program in front of Python replaces it. Spark also puts a
zip of its Python files on the path, without compiled files, so each process would compile them: a second of
CPU time. If this Python has the same files installed, the program leaves the zip out.
"""

import importlib.util
import shlex
import zlib
from pathlib import Path

from barnabas.spark.sessions.wrapper import write_program

_WRAPPER = """#!/bin/sh
# Spark's daemon prints tracebacks although the results are right.
if [ "$1" = -m ] && [ "$2" = pyspark.daemon ]; then
  shift 2
  set -- -m pyspark_barnabas.daemon "$@"
fi
{path}exec {python} "$@"
"""

_PATH = """# Python compiles what is in Spark's zip anew at each start; it has the same files compiled.
set -f
IFS=:
kept=
for each in $PYTHONPATH; do
  case $each in
    {folder}/*) ;;
    *) kept=$kept${{kept:+:}}$each ;;
  esac
done
unset IFS
export PYTHONPATH="$kept"
"""


def python_for_workers(python: str, *, cache: Path, installed: Path | None = None) -> str:
    """The path of a program that runs `python` for Spark's workers.

    Args:
        python: the Python to run.
        cache: the folder of the program; if it cannot be written, `python` itself is returned.
        installed: the folder of PySpark that `python` imports without Spark's zip (`installed_pyspark`).
    """
    program = cache / f"python-{zlib.crc32(python.encode()):08x}" / "python3"
    path = "" if installed is None else _PATH.format(folder=shlex.quote(str(installed)))
    try:
        write_program(program, _WRAPPER.format(path=path, python=shlex.quote(python)))
    except OSError:
        return python
    return str(program)


def installed_pyspark() -> Path | None:
    """The folder of PySpark that this Python imports without Spark's zips.

    None if PySpark or py4j come from a zip, as with `spark-submit`.
    """
    folder = _folder("pyspark")
    py4j = _folder("py4j")
    if folder is None or py4j is None or folder in py4j.parents or not folder.is_dir():
        return None
    return folder


def _folder(package: str) -> Path | None:
    found = importlib.util.find_spec(package)
    return None if found is None or found.origin is None else Path(found.origin).parent
