"""The files of the inventory: a copy in each log directory, replaced at times and added to in between."""

import contextlib
import logging

from barnabas.errors import StorageError
from barnabas.log.directories.directories import LogDirectories
from barnabas.log.directories.directory import LogDirectory
from barnabas.log.directories.inventory import (
    INVENTORY,
    DirectoryInventory,
    InventorySection,
    addition,
    encode,
)
from barnabas.ports import Disk, File

log = logging.getLogger(__name__)


class InventoryFiles:
    """The copies in the directories that can be used. Each row is in all of them, or in those that work."""

    def __init__(self, disk: Disk, directories: LogDirectories) -> None:
        self._disk = disk
        self._directories = directories
        self._files: dict[LogDirectory, tuple[File, int]] = {}
        """Those that were added to, each with its end."""
        self._meanwhile: list[str] = []
        """What was added since `begin_replacing`: the new files are made without it."""

    def read(self) -> DirectoryInventory | None:
        """Return the newest copy; None without one."""
        newest = 0, 0
        best: DirectoryInventory | None = None
        for directory in self._directories.usable:
            data = self._read_one(directory)
            found = DirectoryInventory.parse(data)
            if data and found is None:
                what = "inventory damaged and not used: what is missing in the directories is not noticed"
                log.warning(what, extra={"file": f"{directory.path}/{INVENTORY}"})
            if found is not None and (found.number, len(data)) >= newest:
                # Of two that were written together, the longer one has got more since.
                newest = found.number, len(data)
                best = found
        return best

    def _read_one(self, directory: LogDirectory) -> bytes:
        path = f"{directory.path}/{INVENTORY}"
        with contextlib.suppress(StorageError):
            if self._disk.exists(path):
                return self._disk.read_file(path)
        return b""

    def add(self, rows: list[str], *, durable: bool) -> None:
        """Append rows to all copies; not `durable`: `sync` makes that durable.

        Raises:
            StorageError: they cannot be written in any directory.
        """
        data = b"".join(map(addition, rows))
        if not data:
            return
        self._meanwhile += rows
        failure: StorageError | None = None
        written = False
        for directory in self._directories.usable:
            try:
                file, end = self._files.get(directory) or self._opened(directory)
                file.write(end, [data])
                if durable:
                    file.sync()
            except StorageError as error:
                failure = error
            else:
                self._files[directory] = file, end + len(data)
                written = True
        if not written and failure is not None:
            raise failure

    def sync(self) -> None:
        """Flush what was added to stable storage.

        Raises:
            StorageError: that failed in one of the directories.
        """
        for file in self.open_files():
            file.sync()

    def open_files(self) -> list[File]:
        """Return the files that rows were added to."""
        return [file for file, _ in self._files.values()]

    def begin_replacing(self) -> None:
        """Note that the rows for `replace` are made now: what is added meanwhile comes after them."""
        self._meanwhile = []

    def replace(self, data: bytes) -> list[StorageError]:
        """Replace all copies; return the errors of directories where that failed."""
        failures: list[StorageError] = []
        for directory in self._directories.usable:
            self._close_one(directory)
            try:
                self._disk.replace_file(f"{directory.path}/{INVENTORY}", data)
            except StorageError as error:
                failures.append(error)
        meanwhile, self._meanwhile = self._meanwhile, []
        with contextlib.suppress(StorageError):
            self.add(meanwhile, durable=False)
        return failures

    def close(self) -> None:
        """Close the files."""
        for directory in list(self._files):
            self._close_one(directory)

    def _opened(self, directory: LogDirectory) -> tuple[File, int]:
        path = f"{directory.path}/{INVENTORY}"
        if not self._disk.exists(path):
            all_of_them = [
                InventorySection(each.directory_id, each.path) for each in self._directories.usable
            ]
            self._disk.replace_file(path, encode(0, [each.header() for each in all_of_them]))
        file = self._disk.open(path)
        return file, file.size()

    def _close_one(self, directory: LogDirectory) -> None:
        file, _ = self._files.pop(directory, (None, 0))
        if file is not None:
            file.close()
