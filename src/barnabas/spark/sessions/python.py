"""The Python that Spark starts: this very one, with our daemon in place of Spark's.

Spark has a setting for the daemon of tasks. That of planning, which imports data sources and makes
their tasks, is always `-m pyspark.daemon`: a small program in front of Python replaces it.
"""

import shlex
import zlib
from pathlib import Path

from barnabas.spark.sessions.wrapper import write_program

_WRAPPER = """#!/bin/sh
# Spark's daemon prints tracebacks beside right results.
if [ "$1" = -m ] && [ "$2" = pyspark.daemon ]; then
  shift 2
  set -- -m pyspark_barnabas.daemon "$@"
fi
exec {python} "$@"
"""


def quiet_python(python: str, *, cache: Path) -> str:
    """The path of a program that runs `python` with our daemon; its own, where `cache` takes none."""
    program = cache / f"python-{zlib.crc32(python.encode()):08x}" / "python3"
    try:
        write_program(program, _WRAPPER.format(python=shlex.quote(python)))
    except OSError:
        return python
    return str(program)
