"""Functions on buffers, and the choice between compiled modules and their sources, made once.

`BARNABAS_KERNELS=compiled` refuses to start without the extension modules; `pure` runs their sources. If the
variable is unset, extension modules are used if they exist; otherwise the sources run, with a warning.
`implementation` names the choice.

Other modules with a `.pxd` beside them are compiled as well; their packages import this package first.
Python prefers an extension to the `.py` beside it, so `pure` finds the sources by path.
"""

import importlib
import os
import sys
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec
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
"""Folder and name of each."""

TYPED = (
    "broker.connections.connection",
    "broker.connections.repeated_requests",
    "broker.replicas.append_queue",
    "broker.replicas.partition",
    "broker.replicas.partition_table",
    "broker.replicas.replica_manager",
    "log.partition.log_state",
    "log.partition.stored_log",
    "runtime.connections.connection",
    "runtime.connections.intake",
    "runtime.connections.outbox",
    "runtime.loops.poll_loop",
    "runtime.sockets.channel",
)
"""Modules outside of this package: what a record that is produced goes through, from the socket to the file."""

_PLACES = {f"{__name__}.{name}": _HERE.joinpath(*name.split(".")) for name in FAMILIES} | {
    f"{__name__.partition('.')[0]}.{name}": _HERE.parent.joinpath(*name.split("."))
    for name in TYPED
}
"""The compiled modules, each with its file without a suffix."""


def _choose() -> str:
    wanted = os.environ.get("BARNABAS_KERNELS", "")
    if wanted not in {"", "compiled", "pure"}:
        raise ImportError(f"BARNABAS_KERNELS is {wanted!r}; it can be compiled or pure")
    missing = [name for name, place in _PLACES.items() if not _is_compiled(place)]
    if wanted == "compiled" and missing:
        names = (name.removeprefix("barnabas.").removeprefix("kernels.") for name in missing)
        raise ImportError(f"BARNABAS_KERNELS=compiled, but not compiled: {', '.join(names)}")
    if wanted == "pure" or missing:
        if not wanted:
            _warn()
        sys.meta_path.insert(0, _Sources())
        return "pure"
    return "compiled"


def _is_compiled(place: Path) -> bool:
    return any(Path(f"{place}{suffix}").exists() for suffix in EXTENSION_SUFFIXES)


class _Sources:
    """Finds the sources. Left alone, Python would prefer an extension beside them."""

    def find_spec(self, fullname: str, path: object, target: object = None, /) -> ModuleSpec | None:
        """The source of what can be compiled."""
        del path, target
        place = _PLACES.get(fullname)
        if place is None:
            return None
        # Imported late: compiled kernels do not need it, and it brings shutil and tempfile.
        from importlib.util import spec_from_file_location

        twin = place.with_name(f"{place.name}_plain.py")  # of a family that needs pointers
        return spec_from_file_location(
            fullname, twin if twin.exists() else place.with_suffix(".py")
        )


def _warn() -> None:
    logger = importlib.import_module("logging").getLogger(__name__)
    logger.warning(
        "the kernels are not compiled: records go 20 to 100 times slower. A C compiler and "
        "`make kernels` (or installing again) mend it; BARNABAS_KERNELS=pure hides this."
    )


implementation: str = _choose()
