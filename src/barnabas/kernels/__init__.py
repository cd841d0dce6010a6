"""Functions on buffers: chosen once, compiled or as they are.

`BARNABAS_KERNELS=compiled` refuses to start without the extension modules, `pure` runs their sources;
unset takes what is there, and says loudly when that is the slow form. `implementation` tells which.

Python prefers an extension to the `.py` beside it, so `pure` loads the sources by path.
"""

import importlib
import os
import sys
from importlib.machinery import EXTENSION_SUFFIXES, SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

_HERE = Path(__file__).parent
FAMILIES = (
    "partitioning",
    "checksums",
    "batches",
    "producing",
    "scanning",
    "gathering",
    "record",
    "objects",
    "batch_writing",
    "message_rows",
    "message_scanning",
    "message_objects",
    "message_writing",
    "byte_messages",
    "key_hashes",
    "key_maps",
    "compaction",
    "index_entries",
    "committed_offsets",
    "struct_reading",
    "struct_writing",
    "sockets",
    "repeats",
)


def _choose() -> str:
    wanted = os.environ.get("BARNABAS_KERNELS", "")
    if wanted not in {"", "compiled", "pure"}:
        raise ImportError(f"BARNABAS_KERNELS is {wanted!r}; it can be compiled or pure")
    missing = [name for name in FAMILIES if not _is_compiled(name)]
    if wanted == "compiled" and missing:
        raise ImportError(f"BARNABAS_KERNELS=compiled, but not compiled: {', '.join(missing)}")
    if wanted == "pure" or missing:
        if not wanted:
            _warn()
        for name in FAMILIES:
            _load_source(name)
        return "pure"
    return "compiled"


def _is_compiled(name: str) -> bool:
    return any((_HERE / (name + suffix)).exists() for suffix in EXTENSION_SUFFIXES)


def _load_source(name: str) -> None:
    """Load a family from its source. Left alone, Python would prefer an extension beside it."""
    twin = _HERE / f"{name}_plain.py"  # of a family that needs pointers
    path = twin if twin.exists() else _HERE / f"{name}.py"
    full_name = f"{__name__}.{name}"
    spec = spec_from_file_location(full_name, path, loader=SourceFileLoader(full_name, str(path)))
    if spec is None or spec.loader is None:
        raise ImportError(f"no kernel source {path}")
    module = module_from_spec(spec)
    sys.modules[full_name] = module
    spec.loader.exec_module(module)
    setattr(sys.modules[__name__], name, module)


def _warn() -> None:
    logger = importlib.import_module("logging").getLogger(__name__)
    logger.warning(
        "the kernels are not compiled: records go 20 to 100 times slower. A C compiler and "
        "`make kernels` (or installing again) mend it; BARNABAS_KERNELS=pure hides this."
    )


implementation: str = _choose()
