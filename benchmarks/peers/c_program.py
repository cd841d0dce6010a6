"""Programs in C of this folder: compiled into `build` when a source is newer."""

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[1] / "load"
BUILD = Path(__file__).resolve().parents[2] / "build"


class CompileFailed(Exception):
    """There is no C compiler, or it refused the sources."""


def compiled(name: str, sources: Sequence[Path]) -> Path:
    """The program `name` of some C files and the headers beside them.

    Raises:
        CompileFailed: there is no compiler, or it refused.
    """
    program = BUILD / name
    read = [*sources, *(header for source in sources for header in source.parent.glob("*.h"))]
    if program.exists() and program.stat().st_mtime >= max(s.stat().st_mtime for s in read):
        return program
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        raise CompileFailed(f"`{name}` needs a C compiler: apt-get install gcc libc6-dev")
    BUILD.mkdir(exist_ok=True)
    done = subprocess.run(
        [compiler, "-O2", "-Wall", "-Wextra", "-pthread", "-o", str(program), *map(str, sources)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise CompileFailed(f"`{name}` does not compile:\n{done.stderr}")
    return program
