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
    "columns.partitioning",
    "batches.checksums",
    "batches.batch_rows",
    "batches.producing",
    "columns.scanning",
    "columns.gathering",
    "batches.record",
    "batches.objects",
    "batches.batch_writing",
    "messages.message_rows",
    "messages.message_scanning",
    "messages.message_objects",
    "messages.message_writing",
    "messages.byte_messages",
    "compaction.key_hashes",
    "compaction.key_maps",
    "compaction.compaction",
    "compaction.index_entries",
    "wire.committed_offsets",
    "wire.struct_reading",
    "wire.struct_writing",
    "connections.sockets",
    "connections.repeats",
    "connections.request_times",
)
"""Folder and name of each; one stands behind those that it imports."""


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
    path = str(_HERE.joinpath(*name.split(".")))
    return any(Path(path + suffix).exists() for suffix in EXTENSION_SUFFIXES)


def _load_source(name: str) -> None:
    """Load a family from its source. Left alone, Python would prefer an extension beside it."""
    folder, short = name.split(".")
    twin = _HERE / folder / f"{short}_plain.py"  # of a family that needs pointers
    path = twin if twin.exists() else _HERE / folder / f"{short}.py"
    full_name = f"{__name__}.{name}"
    spec = spec_from_file_location(full_name, path, loader=SourceFileLoader(full_name, str(path)))
    if spec is None or spec.loader is None:
        raise ImportError(f"no kernel source {path}")
    module = module_from_spec(spec)
    sys.modules[full_name] = module
    spec.loader.exec_module(module)
    setattr(importlib.import_module(f"{__name__}.{folder}"), short, module)


def _warn() -> None:
    logger = importlib.import_module("logging").getLogger(__name__)
    logger.warning(
        "the kernels are not compiled: records go 20 to 100 times slower. A C compiler and "
        "`make kernels` (or installing again) mend it; BARNABAS_KERNELS=pure hides this."
    )


implementation: str = _choose()
