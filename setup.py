"""The files to compile; everything else is in pyproject.toml.

These are the kernels, and what is named in a `.pxd` beside it elsewhere: modules of plain Python, compiled as
they are, whose attributes and methods have C types there.

Without Cython or a C compiler the install goes on and the kernels run uncompiled; one line says so.
"""

import os
import sys
import tempfile
import threading
import time
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

SOURCES = Path("src/barnabas")
KERNELS = SOURCES / "kernels"
PACKAGE = "barnabas.kernels"
HEADERS = KERNELS / "buffers"
"""Headers of C that kernels of several folders include."""
NOT_COMPILED = {"__init__", "shadow"}
"""Nor what has a .pxd beside it: that is compiled into the families that use it."""
SHARED = f"{PACKAGE}.cython_shared"
"""What Cython adds to every module for memoryviews, compiled once: otherwise most of the work."""
ARGUMENTS = ["-O3", "-g0", "-fwrapv"]
CALLING = ["-O1", "-g0", "-fwrapv"]
"""For what mostly calls Python: more takes two or three times as long, and saves next to nothing."""
MOSTLY_CALL = {"connections", "wire"}
"""Folders of such kernels."""
BAR = 30


def report(text: str) -> None:
    """Write one line to the terminal, or to what pip -v shows."""
    sys.stderr.write(f"barnabas: {text}\n")


def report_uncompiled(why: str) -> None:
    """The one line."""
    report(f"{why}, so the kernels will run uncompiled (much slower)")


class Progress:
    """A line for each kernel that was compiled; a bar on a terminal."""

    def __init__(self, kernels: int) -> None:
        self.kernels = kernels
        self.passed = self.compiled = 0

    def advance(self, name: str, seconds: float | None) -> None:
        """Count a kernel; `seconds` is None where it was up to date."""
        self.passed += 1
        if seconds is not None:
            self.compiled += 1
            if sys.stderr.isatty():
                self._draw(name)
            else:
                report(f"kernel {self.passed} of {self.kernels}: {name}, {seconds:.1f} s")
        if self.passed == self.kernels and self.compiled and sys.stderr.isatty():
            sys.stderr.write("\n")

    def _draw(self, name: str) -> None:
        done = BAR * self.passed // self.kernels
        bar = "#" * done + "." * (BAR - done)
        sys.stderr.write(f"\rkernels [{bar}] {self.passed} of {self.kernels} {name:24}")
        sys.stderr.flush()


class BuildKernels(build_ext):
    """Builds all kernels or none: half of them would only be confusing."""

    def run(self) -> None:
        """Translate and compile, one kernel for each processor at a time."""
        self.parallel = self.parallel or os.cpu_count()
        self.progress = Progress(len(self.extensions))
        self.lock = threading.Lock()
        self._remove_leftovers()
        try:
            super().run()
        except Exception as error:  # noqa: BLE001 - whatever a compiler or its absence raises
            for extension in self.extensions:
                Path(self.get_ext_fullpath(extension.name)).unlink(missing_ok=True)
                if self.inplace:
                    name = self.get_ext_filename(extension.name)
                    Path("src", name).unlink(missing_ok=True)
            compiler = getattr(self.compiler, "compiler_so", None) or ["a C compiler"]
            report_uncompiled(f"{compiler[0]} is missing or failed ({error})")
            self.extensions = []

    def build_extensions(self) -> None:
        """Try the compiler and Python's headers on one line: without them, nobody waits for Cython."""
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder, "trial.c")
            source.write_text("#include <Python.h>\n", encoding="utf-8")
            self.compiler.compile([str(source)], output_dir=folder)
        super().build_extensions()

    def _remove_leftovers(self) -> None:
        """Delete kernels that have no source any more: an import would still find them."""
        current = {Path(*extension.name.split(".")) for extension in self.extensions}
        if not current:
            return  # An install of the sources alone leaves what `make kernels` has compiled.
        for root in (Path("src"), Path(self.build_lib)):
            folder = root / "barnabas"
            for path in (*folder.rglob("*.so"), *folder.rglob("*.c")):
                name = path.with_name(path.name.partition(".")[0]).relative_to(root)
                if name not in current:
                    path.unlink()

    def build_extension(self, ext: Extension) -> None:
        """Translate a kernel to C and compile that, where its sources are newer."""
        begun = time.monotonic()
        target = Path(self.get_ext_fullpath(ext.name))
        before = modified(target)
        with self.lock:  # Cython keeps one module at a time.
            translate(ext)
        super().build_extension(ext)
        took = time.monotonic() - begun if modified(target) != before else None
        with self.lock:
            self.progress.advance(ext.name.removeprefix("barnabas.").removeprefix("kernels."), took)


def modified(path: Path) -> float:
    """When a file was written; 0 where there is none."""
    return path.stat().st_mtime if path.exists() else 0.0


def translate(extension: Extension) -> None:
    """Have Cython write the C of an extension, and name it in place of the Python source.

    What this version of Cython has written stays while no file of the project behind it is newer. Cython
    itself would also look at its own files, which each `pip install` unpacks anew.
    """
    from Cython.Build import cythonize

    (source,) = extension.sources
    written, behind = Path(source).with_suffix(".c"), files_behind(source)
    if is_of_this_cython(written) and modified(written) >= max(map(modified, behind)):
        extension.sources = [str(written)]
    else:
        (made,) = cythonize(
            [extension],
            language_level=3,
            quiet=True,
            force=True,
            compiler_directives={
                # `if cython.compiled` leaves code that is for the uncompiled form
                "warn.unreachable": False,
                # Elsewhere annotations are mypy's: an `int` may be an IntEnum there.
                "annotation_typing": KERNELS in Path(source).parents,
            },
            shared_utility_qualified_name=SHARED,
        )
        extension.sources = made.sources
    extension.depends = [str(path) for path in behind]


def files_behind(source: str) -> list[Path]:
    """The files of the project that the C of a kernel is made from, or compiled with."""
    from Cython.Build.Dependencies import create_dependency_tree

    named = create_dependency_tree().all_dependencies(source) if source.endswith(".py") else ()
    used = {Path(name) for name in named if not Path(name).is_absolute()}
    return sorted({*used, *HEADERS.glob("*.h"), Path("setup.py")})


def is_of_this_cython(written: Path) -> bool:
    """Whether a file of C is there, and of the version of Cython that is installed."""
    from Cython import __version__

    if not written.exists():
        return False
    with written.open(encoding="utf-8") as lines:
        return lines.readline().strip() == f"/* Generated by Cython {__version__} */"


def kernel_extensions() -> list[Extension]:
    """Each kernel family and each typed module as an extension; none where Cython is missing or not wanted."""
    if os.environ.get("BARNABAS_KERNELS") == "pure":
        return []
    try:
        import Cython.Build  # noqa: F401
    except ImportError:
        report_uncompiled("Cython is missing")
        return []
    families = [
        path
        for path in KERNELS.rglob("*.py")
        if path.stem not in NOT_COMPILED
        and not path.stem.endswith("_plain")
        and not path.with_suffix(".pxd").exists()
    ]
    typed = [
        path.with_suffix(".py") for path in SOURCES.rglob("*.pxd") if KERNELS not in path.parents
    ]
    # The largest first, so that no processor waits for one of them at the end.
    families.sort(key=lambda path: path.stat().st_size, reverse=True)
    shared = KERNELS / f"{SHARED.rpartition('.')[2]}.c"
    return [
        Extension(
            ".".join(path.relative_to("src").with_suffix("").parts),
            [str(path)],
            extra_compile_args=arguments,
            include_dirs=[str(HEADERS)],
        )
        for path, arguments in (
            (shared, CALLING),
            *(
                (path, CALLING if path.parent.name in MOSTLY_CALL else ARGUMENTS)
                for path in families
            ),
            *((path, CALLING) for path in typed),
        )
    ]


setup(ext_modules=kernel_extensions(), cmdclass={"build_ext": BuildKernels})
