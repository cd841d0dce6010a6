"""The copies of an embedded registry's file: each write goes to all, and counts if one has it.

One that cannot be written is behind; it is written whole again with the next change that finds it well.
"""

import contextlib
import logging
from collections.abc import Mapping, Sequence

from barnabas.errors import StorageError
from barnabas.ports import Disk, File
from barnabas.runtime.registries.journal import (
    MARK,
    Journal,
    generation_frame,
    merged,
    read_journal,
)

log = logging.getLogger(__name__)

COPY = ".copy"
"""Behind the name of a file that stands alone: one beside it, written and not synced."""


class RegistryFile:
    """One of the files. `is_synced`: what is in it counts."""

    def __init__(self, disk: Disk, path: str, *, is_synced: bool = True) -> None:
        self.path = path
        self.is_synced = is_synced
        self.is_behind = False
        self._disk = disk
        self._file: File | None = None
        self._is_torn = False
        """The bytes after the end may be half a frame."""

    def append(self, frame: bytes, end: int) -> None:
        """Write a frame at `end`, where the file ended before.

        Raises:
            StorageError: it is not there; what is behind `end` is to be cut.
        """
        file = self._opened()
        if self._is_torn:
            # A later, shorter frame before the rest of one that failed would look damaged.
            self._cut(file, end)
        self._is_torn = True
        try:
            file.write(end, [frame])
            if self.is_synced:
                file.sync()
        except StorageError:
            self.cut(end)
            raise
        self._is_torn = False

    def cut(self, end: int) -> None:
        """Have nothing behind `end`, at once: what failed must not be there after a restart."""
        self._is_torn = True
        with contextlib.suppress(StorageError):
            self._cut(self._opened(), end)

    def _cut(self, file: File, end: int) -> None:
        file.truncate(end)
        if self.is_synced:
            file.sync()
        self._is_torn = False

    def replace(self, data: bytes) -> None:
        """Hold this and nothing else.

        Raises:
            StorageError: it holds this, or what it did.
        """
        self.close()
        if self.is_synced:
            self._disk.replace_file(self.path, data)
        else:
            self._disk.write_file(self.path, data)
        self._is_torn = False

    def size(self) -> int:
        """Bytes in it."""
        return self._opened().size()

    def read(self, end: int) -> bytes:
        """The bytes before `end`."""
        return self._opened().read(0, end)

    def close(self) -> None:
        """Give the file back; it is opened again when used."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _opened(self) -> File:
        if self._file is None:
            self._file = self._disk.open(self.path)
        return self._file


class RegistryCopies:
    """All files of one registry, which hold the same up to `end`.

    With one path a copy lies beside its file; with several, in several directories, each is a copy
    of the others. A higher `generation` makes a copy that was away for a while known as older.
    """

    def __init__(self, disk: Disk, paths: Sequence[str]) -> None:
        self.end = 0
        self.generation = 0
        self._disk = disk
        self._paths = paths
        self._files: list[RegistryFile] = []
        self._failure = StorageError("the registry has no file")
        """Why the last one that was behind still is."""
        self._is_unsure = False
        """The files hold either of two equivalent contents."""

    def load(self, *, repair: bool = False) -> Journal:
        """The content of the newest file, repaired from the others if it was damaged.

        Raises:
            StorageError: no file can be read, or what one lost is in none; not if that is to be so.
        """
        found = read_copies(self._disk, self._paths)
        newest = merged(list(found.values())) if found else Journal(self._paths[0], MARK, {}, [], 0)
        is_other = bool(found) and not any(one.is_of_registry for one in found.values())
        if (newest.holes or is_other) and not repair:
            raise _damaged(newest, found, self._paths)
        self.end, self.generation = newest.end, newest.generation
        there = [path for path in self._paths if path in found]
        if not there:
            # One that is there cannot be read, and stays as it is.
            there = [path for path in self._paths if not self._disk.exists(path)]
            for path in self._paths:
                if path not in there:
                    self._failure = _unreadable(path)
        self._files = [RegistryFile(self._disk, path) for path in there]
        if len(self._paths) == 1:
            beside = self._paths[0] + COPY
            self._files.append(RegistryFile(self._disk, beside, is_synced=False))
        for file in [*self._files]:
            try:
                self._compare(file, found.get(file.path), newest)
            except StorageError as error:
                self._files.remove(file)
                self._failure = error
        self._catch_up(newest.data)
        return newest

    def _compare(self, file: RegistryFile, found: Journal | None, newest: Journal) -> None:
        """Find out whether a file is behind; what it has that the newest has not is kept beside it.

        Raises:
            StorageError: that cannot be kept.
        """
        file.is_behind = True
        if found is not None and found.data.startswith(newest.data):
            file.is_behind = False
            if len(found.data) > newest.end:
                if file.is_synced:
                    self._keep(file, found, "damaged" if found.holes else "torn at its end")
                file.cut(newest.end)
        elif found is None or not file.is_synced:
            return
        elif found.generation == newest.generation and newest.data.startswith(found.whole):
            # Cut between two changes, or ended by zeros: alone it would look whole.
            added = len(newest.data) - found.end
            log.warning(
                "registry was cut short", extra={"path": file.path, "bytes_from_copy": added}
            )
            if found.holes and found.data:
                self._keep(file, found, "damaged")
        elif not found.data:
            return
        elif found.holes or not newest.data.startswith(found.whole):
            self._keep(file, found, "damaged" if found.holes else "older than its copy")

    def _keep(self, file: RegistryFile, found: Journal, what: str) -> None:
        kept = keep_beside(self._disk, file.path, found.data)
        log.error("registry was %s: its old content is kept", what, extra={"path": kept})

    def spread(self, paths: Sequence[str]) -> None:
        """Have the journal in these files from now on, and in no others.

        Raises:
            StorageError: it can be read, or written, in none of them.
        """
        data = self._read()
        known = {file.path: file for file in self._files}
        names = [*paths, paths[0] + COPY] if len(paths) == 1 else paths
        self._files = [known.pop(name) if name in known else self._new(name) for name in names]
        for file in known.values():
            file.close()
        self._catch_up(data)
        self.generation += 1
        self.append(generation_frame(self.generation))
        for path in paths if len(paths) > 1 else ():
            with contextlib.suppress(StorageError):
                self._disk.remove(path + COPY)  # It would be older from now on.

    def _new(self, path: str) -> RegistryFile:
        file = RegistryFile(self._disk, path, is_synced=not path.endswith(COPY))
        file.is_behind = True
        return file

    def append(self, frame: bytes) -> None:
        """Write a change; on stable storage in each file that is not behind when this returns.

        Raises:
            StorageError: no file that counts has it.
        """
        self._catch_up()
        failures: dict[RegistryFile, StorageError] = {}
        is_written = False
        for file in self._files:
            if file.is_behind or not (file.is_synced or is_written):
                continue  # What no file that counts has, a copy must not have.
            try:
                file.append(frame, self.end)
            except StorageError as error:
                failures[file] = error
            else:
                is_written = True
        if not is_written:
            raise next(iter(failures.values()), self._failure)
        self.end += len(frame)
        self._fall_behind(failures)

    def replace(self, data: bytes) -> None:
        """Replace the content by equivalent data in fewer bytes.

        Raises:
            StorageError: no file does; each holds this, or what it did.
        """
        failures: dict[RegistryFile, StorageError] = {}
        for file in self._files:
            try:
                file.replace(data)
            except StorageError as error:
                failures[file] = error
        if all(file in failures for file in self._files if file.is_synced):
            # Whichever of the two the first one holds now, all of it counts.
            self._is_unsure = True
            raise next(iter(failures.values()))
        self.end = len(data)
        self._fall_behind(failures)

    def _fall_behind(self, failures: Mapping[RegistryFile, StorageError]) -> None:
        for file, error in failures.items():
            file.is_behind = True
            log.warning("registry has one copy less", extra={"path": file.path, "error": error})

    def _catch_up(self, data: bytes | None = None) -> None:
        """Write the files that are behind; without `data`, what another one holds."""
        if self._is_unsure:
            first, *others = self._files
            self.end = first.size()
            self._is_unsure = False
            for file in others:
                file.is_behind = True
        for file in self._files:
            if file.is_behind:
                try:
                    file.replace(self._read() if data is None else data)
                except StorageError as error:
                    self._failure = error
                else:
                    file.is_behind = False

    def _read(self) -> bytes:
        """The content of a file that is up to date; StorageError if there is none."""
        for file in self._files:
            if file.is_synced and not file.is_behind:
                return file.read(self.end)
        raise StorageError("no copy of the registry can be read")

    def close(self) -> None:
        """Give the files back."""
        for file in self._files:
            file.close()


def _unreadable(path: str) -> StorageError:
    return StorageError(
        f"{path} cannot be read, and nothing can be changed meanwhile: move it away and start again;"
        " it is then made of its copy"
    )


def read_copies(disk: Disk, paths: Sequence[str]) -> dict[str, Journal]:
    """The contents of the existing files, and of the copies beside them.

    Raises:
        StorageError: there are some, and none can be read.
    """
    found: dict[str, Journal] = {}
    failure: StorageError | None = None
    for path in [*paths, *(path + COPY for path in paths)]:
        if not disk.exists(path):
            continue
        try:
            data = disk.read_file(path)
        except StorageError as error:
            failure = failure or error
            continue
        same = next((each for each in found.values() if each.data == data), None)
        found[path] = same._replace(path=path) if same else read_journal(path, data)
    if failure is not None and not found:
        raise failure
    return found


def keep_beside(disk: Disk, path: str, data: bytes) -> str:
    """Write what was in a file beside it, over nothing that is there; gives the path.

    Raises:
        StorageError: it cannot be written.
    """
    number = 1
    while disk.exists(kept := f"{path}.old.{number}"):
        number += 1
    disk.replace_file(kept, data)
    return kept


def _damaged(newest: Journal, found: Mapping[str, Journal], paths: Sequence[str]) -> StorageError:
    places = " ".join(path.rpartition("/")[0] for path in paths)
    whole = "" if len(found) == 1 else ", and no copy has what was there"
    if newest.holes:
        what = f"is damaged at byte {newest.holes[0][0]}, before its last change{whole}"
        kept = "keeps all that can be read of it, and the file as it is beside"
    else:
        what = f"has nothing of a registry of this version{whole}"
        kept = (
            "keeps it beside and begins another, in which topics come back from their directories"
        )
    return StorageError(f"{newest.path} {what}. `barnabas registry repair {places}` {kept}")
