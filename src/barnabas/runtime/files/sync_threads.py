"""Threads that sync files; where many syncs wait, their volume is written as a whole first.

The sync of one file makes the disk write and flush for it alone. A broker that stops has tens of
thousands of them: one syncfs writes all these files in a few long runs. The sync of each file still
follows, because only that one reports its errors, and finds nothing left to write.
"""

import contextlib
import os
import sys
import threading
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING, Final

from barnabas.runtime.files.file_errors import storage_errors
from barnabas.runtime.files.open_files import (
    OpenFiles,
    RealFile,
    sync_descriptor,
    sync_path,
)

if TYPE_CHECKING:
    import ctypes

THREADS: Final = 32
"""At most. Syncs at the same time share commits of the file system's journal, and the waits of a slow disk."""
MANY: Final = 64
"""Syncs that wait. With fewer, a sync of the volume might take longer than theirs."""


class SyncThreads:
    """Begins syncs in the order of the calls, up to `THREADS` at the same time."""

    def __init__(self, files: OpenFiles) -> None:
        self._files = files
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="barnabas-sync")
        self._submitted = 0
        self._begun = 0
        self._covered: dict[int, int] = {}
        """By device: the data of all syncs up to this number were written with the volume."""
        self._volume_lock = threading.Lock()

    def begin(self, files: list[RealFile], paths: list[str]) -> Future[None]:
        """Start to sync files and what is at the paths; a path that is gone needs no sync.

        The future raises StorageError if one cannot be synced.
        """
        self._submitted += 1
        return self._threads.submit(self._sync, self._submitted, files, paths)

    def close(self) -> None:
        """Wait for the syncs under way and end the threads."""
        self._threads.shutdown()

    def _sync(self, number: int, files: list[RealFile], paths: list[str]) -> None:
        self._begun = max(self._begun, number)
        if self._submitted - self._begun >= MANY:
            self._write_volume(number, [*(file.path for file in files), *paths])
        for file in files:
            # A descriptor of its own: that of the file may be closed or given up meanwhile.
            with storage_errors("sync", file.path):
                descriptor = self._files.descriptor_for_sync(file)
            if descriptor is not None:
                try:
                    sync_descriptor(descriptor, file.path)
                finally:
                    os.close(descriptor)
        for path in paths:
            with storage_errors("sync", path), contextlib.suppress(FileNotFoundError):
                sync_path(path)

    def _write_volume(self, number: int, paths: Iterable[str]) -> None:
        """Write the volume of the first path that is there, unless it was written after `number` came."""
        for path in paths:
            # What is wrong with a file, its own sync reports.
            with contextlib.suppress(OSError):
                device = os.stat(path).st_dev
                with self._volume_lock:
                    if number > self._covered.get(device, 0):
                        covered = self._submitted
                        sync_volume(path)
                        self._covered[device] = covered
                return


def sync_volume(path: str) -> None:
    """Write all that the volume of a file has in memory; only Linux can, elsewhere nothing happens.

    Raises:
        OSError: the file cannot be opened.
    """
    library = _library()
    if library is not None:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            library.syncfs(descriptor)
        finally:
            os.close(descriptor)


@cache
def _library() -> "ctypes.CDLL | None":
    """The C library, if it has syncfs."""
    if sys.platform != "linux":
        return None
    # Imported late: a broker starts faster without it.
    import ctypes

    library = ctypes.CDLL(None)
    return library if hasattr(library, "syncfs") else None
