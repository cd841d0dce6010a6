"""The list of kernel files to compile; everything else is in pyproject.toml.

Without Cython or a C compiler the install goes on and the kernels run uncompiled; one line says so.
"""

import os
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

KERNELS = Path("src/barnabas/kernels")
NOT_COMPILED = {"__init__", "shadow"}
"""Nor what has a .pxd beside it: that is compiled into the families that use it."""


def uncompiled(why: str) -> None:
    """The one line."""
    sys.stderr.write(f"barnabas: {why}, so the kernels will run uncompiled (much slower)\n")


class BuildKernels(build_ext):
    """Builds all kernels or none: half of them would only be confusing."""

    def run(self) -> None:
        self.parallel = self.parallel or os.cpu_count()
        try:
            super().run()
        except Exception as error:  # noqa: BLE001 - whatever a compiler or its absence raises
            for extension in self.extensions:
                Path(self.get_ext_fullpath(extension.name)).unlink(missing_ok=True)
                if self.inplace:
                    name = self.get_ext_filename(extension.name)
                    Path("src", name).unlink(missing_ok=True)
            compiler = getattr(self.compiler, "compiler_so", None) or ["a C compiler"]
            uncompiled(f"{compiler[0]} is missing or failed ({type(error).__name__})")
            self.extensions = []


def is_built(path: Path) -> bool:
    """Whether an object lies beside a kernel that is not older than it."""
    when = path.stat().st_mtime
    return any(built.stat().st_mtime >= when for built in path.parent.glob(f"{path.stem}.*.so"))


def kernel_extensions() -> list[Extension]:
    """Each kernel family as an extension; none where Cython is missing or not wanted."""
    if os.environ.get("BARNABAS_KERNELS") == "pure":
        return []
    families = sorted(
        path
        for path in KERNELS.glob("*.py")
        if path.stem not in NOT_COMPILED
        and not path.stem.endswith("_plain")
        and not path.with_suffix(".pxd").exists()
    )
    try:
        from Cython.Build import cythonize
    except ImportError:
        uncompiled("Cython is missing")
        return []
    if not all(map(is_built, families)):
        sys.stderr.write("barnabas: compiling the kernels, which takes two or three minutes\n")
    return list(
        cythonize(
            [
                Extension(
                    f"barnabas.kernels.{path.stem}",
                    [str(path)],
                    extra_compile_args=["-O3", "-g0", "-fwrapv"],
                )
                for path in families
            ],
            language_level=3,
            quiet=True,
            # `if cython.compiled` leaves code that is for the uncompiled form
            compiler_directives={"warn.unreachable": False},
        )
    )


setup(ext_modules=kernel_extensions(), cmdclass={"build_ext": BuildKernels})
