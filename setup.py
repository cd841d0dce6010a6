"""The list of kernel files to compile; everything else is in pyproject.toml.

Without Cython or a C compiler the install goes on and the kernels run uncompiled.
"""

import os
import sys
from pathlib import Path

from setuptools import Extension, setup

KERNELS = Path("src/barnabas/kernels")
NOT_COMPILED = {"__init__", "shadow", "layout"}


def kernel_extensions() -> list[Extension]:
    """Each kernel family as an optional extension; none where Cython is missing."""
    if os.environ.get("BARNABAS_KERNELS") == "pure":
        return []
    sources = sorted(
        path
        for path in KERNELS.glob("*.py")
        if path.stem not in NOT_COMPILED and not path.stem.endswith("_plain")
    )
    try:
        from Cython.Build import cythonize
    except ImportError:
        sys.stderr.write("barnabas: Cython is missing, so the kernels will run uncompiled\n")
        return []
    if not sources:
        return []
    extensions = cythonize(
        [
            Extension(
                f"barnabas.kernels.{path.stem}",
                [str(path)],
                extra_compile_args=["-O2", "-g0", "-fwrapv"],
            )
            for path in sources
        ],
        language_level=3,
        quiet=True,
    )
    # cythonize() drops this flag, and without it a missing compiler would fail the install.
    for extension in extensions:
        extension.optional = True
    return list(extensions)


setup(ext_modules=kernel_extensions())
