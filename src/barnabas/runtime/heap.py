"""Heap: returns freed memory of the process to the system.

glibc keeps what was freed below something that is still in use, and once large buffers have come and
gone it keeps those, too: a broker that needed 500 MB for a moment would hold them for ever.
"""

from os import sysconf
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ctypes import CDLL

SECONDS = 1.0
"""The interval between checks."""

_WORTH_BYTES = 16 * 1024 * 1024
"""The least memory worth returning: that takes about 1 ms, and as long to get it again."""


class Memory(Protocol):
    """The memory of the process, in bytes."""

    def resident(self) -> int:
        """The physical memory that it occupies."""
        ...

    def free(self) -> int:
        """Memory that the allocator keeps for later, whether returned to the system or not."""
        ...

    def trim(self) -> None:
        """Return free memory to the system."""
        ...


class Heap:
    """Gives back what is free, if that is likely to be much. For one thread.

    Something that was freed since the last time shows in one of two numbers: more is free, or, where the
    allocator had given back that place before, more is resident.
    """

    __slots__ = ("_begun", "_free", "_memory", "_resident")

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._begun = self._resident = memory.resident()
        self._free = 0

    def trim(self) -> None:
        """Look, which takes 30 us, and give back what is free if it is worth it."""
        resident = self._memory.resident()
        self._resident = min(self._resident, resident)
        if resident - self._begun < _WORTH_BYTES:
            return
        free = self._memory.free()
        self._free = min(self._free, free)
        if resident - self._resident + free - self._free >= _WORTH_BYTES:
            self._memory.trim()
            self._resident, self._free = self._memory.resident(), self._memory.free()


def system_heap() -> Heap | None:
    """The heap of this process; None without /proc, as on macOS, whose allocator returns memory itself."""
    try:
        return Heap(_SystemMemory())
    except OSError:
        return None


class _SystemMemory:
    """Linux, and glibc 2.33 or later. With others `free` is 0, and `trim` may do nothing."""

    def __init__(self) -> None:
        self._page = sysconf("SC_PAGE_SIZE")
        self._library: CDLL | None = None

    def resident(self) -> int:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * self._page

    def free(self) -> int:
        info = getattr(self._c(), "mallinfo2", None)
        if info is None:
            return 0
        info.restype = _mallinfo2()
        return int(info().fordblks)

    def trim(self) -> None:
        trim = getattr(self._c(), "malloc_trim", None)
        if trim is not None:
            trim(0)

    def _c(self) -> "CDLL":
        if self._library is None:
            # Imported late: most brokers never need it.
            from ctypes import CDLL

            self._library = CDLL(None)
        return self._library


def _mallinfo2() -> type:
    """Source: glibc's malloc.h."""
    from ctypes import Structure, c_size_t

    names = (
        "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks",
        "fordblks", "keepcost",
    )  # fmt: skip
    return type("mallinfo2", (Structure,), {"_fields_": [(name, c_size_t) for name in names]})
