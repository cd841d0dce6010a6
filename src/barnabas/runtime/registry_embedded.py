"""The Registry port in one local file: the default of a single broker, no server needed.

The file is a journal: a mark, then frames; each frame is a change that happened whole or not at all.
It is rewritten when most of it is history. Not here: watches, sessions, other processes (the lock of
the data directory keeps those out).
"""

import contextlib
import logging
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence

from barnabas.errors import RegistryConflict, StorageError
from barnabas.ports import Disk, File

log = logging.getLogger(__name__)

_MARK = b"barnabas registry 1\n"
_FRAME = struct.Struct(">II")  # bytes of the body, CRC-32 of the body
_PUT = struct.Struct(">BHqI")  # 1, bytes of the path, version, bytes of the data
_DROP = struct.Struct(">BH")  # 0, bytes of the path

_HISTORY_BYTES = 1 << 16
"""A journal shorter than this is not worth rewriting."""

Node = tuple[bytes, int]
Change = tuple[str, Node | None]
"""A path with its new data and version, or with None: it and all below it are gone."""


class EmbeddedRegistry:
    """Nodes in memory, changes in a journal; every change is on stable storage when a call returns.

    Raises:
        StorageError: on opening, the journal is damaged anywhere but in its last frame (a torn last
            frame is a change that never returned, and is cut off); later, a write failed, in which
            case nothing has changed. The next change is tried anew.
    """

    def __init__(self, disk: Disk, path: str) -> None:
        self._disk = disk
        self._path = path
        self._nodes: dict[str, Node] = {}
        self._children: dict[str, set[str]] = {}
        self._live = 0
        self._torn = False
        """What is behind the end may be half a frame."""
        self._failed = False
        """The last change could not be written, and the log says so."""
        if not disk.exists(path):
            disk.replace_file(path, _MARK)
        self._file: File | None = disk.open(path)
        self._end = self._replay(self._file)
        if self._end < self._file.size():
            self._cut(self._file)

    def get(self, path: str) -> Node | None:
        """Data and version of a node, or None where there is no node."""
        return self._nodes.get(path)

    def get_all(self, paths: Sequence[str]) -> list[tuple[bytes, int] | None]:
        """As `get` for each path."""
        return [self._nodes.get(path) for path in paths]

    def children(self, path: str) -> list[str]:
        """Names below a node, sorted; empty where there is no node."""
        return sorted(self._children.get(path.rstrip("/"), ()))

    def create(self, path: str, data: bytes) -> None:
        """Make a node and the missing ones above it, all in one change."""
        if path in self._nodes:
            raise RegistryConflict(f"{path} exists")
        self._commit([*self._missing_above(path), (path, (data, 0))])

    def set(self, path: str, data: bytes, version: int = -1) -> int:
        """Replace the data of a node, making it if `version` is -1; returns the new version."""
        node = self._nodes.get(path)
        if node is None:
            if version != -1:
                raise RegistryConflict(f"{path} does not exist")
            self.create(path, data)
            return 0
        if version not in {-1, node[1]}:
            raise RegistryConflict(f"{path} has version {node[1]}, not {version}")
        self._commit([(path, (data, node[1] + 1))])
        return node[1] + 1

    def create_all(self, nodes: Mapping[str, bytes]) -> list[str]:
        """Make nodes, all in one change; gives the paths where there was one."""
        there = [path for path in nodes if path in self._nodes]
        self.set_all({path: data for path, data in nodes.items() if path not in self._nodes})
        return there

    def set_all(self, nodes: Mapping[str, bytes]) -> None:
        """Replace the data of nodes or make them, all in one change."""
        changes: dict[str, Node | None] = {}
        for path, data in nodes.items():
            node = self._nodes.get(path)
            if node is None:
                for above, made in self._missing_above(path):
                    changes.setdefault(above, made)
            changes[path] = (data, 0 if node is None else node[1] + 1)
        if changes:
            self._commit([*changes.items()])

    def delete(self, *paths: str) -> None:
        """Remove nodes and all below them, in one change; fine if there is none."""
        gone = [path for path in dict.fromkeys(paths) if path in self._nodes]
        if gone:
            self._commit([(path, None) for path in gone])

    def close(self) -> None:
        """Give the file back; a second call does nothing."""
        if self._file is not None:
            self._file.close()

    def _missing_above(self, path: str) -> list[Change]:
        assert path.startswith("/"), path
        assert "" not in path[1:].split("/"), path
        missing: list[Change] = []
        above = path.rpartition("/")[0]
        while above and above not in self._nodes:
            missing.append((above, (b"", 0)))
            above = above.rpartition("/")[0]
        return missing[::-1]

    def _commit(self, changes: list[Change]) -> None:
        """Write first, then change what readers see: a failed write has changed nothing."""
        frame = _frame(changes)
        try:
            self._append(frame)
        except StorageError as error:
            self._report(error)
            raise
        self._report(None)
        self._end += len(frame)
        for change in changes:
            self._apply(*change)
        if self._end > _HISTORY_BYTES + 4 * self._live:
            self._rewrite()

    def _report(self, error: StorageError | None) -> None:
        """Say once that changes fail, and once that they do no longer."""
        if error is not None and not self._failed:
            log.error("registry cannot be written", extra={"path": self._path, "error": error})
        elif error is None and self._failed:
            log.warning("registry can be written again", extra={"path": self._path})
        self._failed = error is not None

    def _append(self, frame: bytes) -> None:
        if self._file is None:
            # Whichever of the two journals is there after `_rewrite`, all of it holds.
            self._file = self._disk.open(self._path)
            self._end = self._file.size()
        if self._torn:
            # A later, shorter frame before the rest of one that failed would look damaged.
            self._cut(self._file)
        self._torn = True
        try:
            self._file.write(self._end, [frame])
            self._file.sync()
        except StorageError:
            # At once: what failed must not be there after a restart.
            with contextlib.suppress(StorageError):
                self._cut(self._file)
            raise
        self._torn = False

    def _cut(self, file: File) -> None:
        file.truncate(self._end)
        file.sync()
        self._torn = False

    def _rewrite(self) -> None:
        snapshot = bytearray(_MARK)
        for path, node in self._nodes.items():
            snapshot += _frame([(path, node)])
        assert self._file is not None, "only a change that was written makes the journal longer"
        self._file.close()
        self._file = None
        try:
            self._disk.replace_file(self._path, snapshot)
        except StorageError as error:
            # The change itself is written; the next one tries this again.
            log.warning("registry not rewritten", extra={"path": self._path, "error": error})

    def _apply(self, path: str, node: Node | None) -> None:
        above, _, name = path.rpartition("/")
        if node is not None:
            if path in self._nodes:
                self._live -= _live_size(path, self._nodes[path])
            self._nodes[path] = node
            self._live += _live_size(path, node)
            self._children.setdefault(above, set()).add(name)
            return
        for child in list(self._children.get(path, ())):
            self._apply(f"{path}/{child}", None)
        self._children.pop(path, None)
        self._children[above].discard(name)
        self._live -= _live_size(path, self._nodes.pop(path))

    def _replay(self, file: File) -> int:
        """Apply all whole frames; returns where the last of them ends."""
        journal = file.read(0, file.size())
        if not journal.startswith(_MARK):
            raise StorageError(f"{self._path} is not a registry of this version")
        position = len(_MARK)
        while position < len(journal):
            body = _body_at(journal, position)
            if body is None:
                self._check_torn(journal, position)
                break
            try:
                for change in _changes(body):
                    self._apply(*change)
            except (struct.error, UnicodeDecodeError, KeyError) as error:
                raise self._damaged(position) from error
            position += _FRAME.size + len(body)
        return position

    def _check_torn(self, journal: bytes, position: int) -> None:
        """A torn frame is the last one. A whole frame behind it means that the disk lied instead."""
        if any(_body_at(journal, later) for later in range(position + 1, len(journal))):
            raise self._damaged(position)

    def _damaged(self, position: int) -> StorageError:
        return StorageError(
            f"{self._path} is damaged at byte {position}, before its last change; restore it from a "
            "copy, or remove the data directory to begin anew"
        )


def _frame(changes: Iterable[Change]) -> bytes:
    parts = []
    for path, node in changes:
        name = path.encode()
        if node is None:
            parts += [_DROP.pack(0, len(name)), name]
        else:
            data, version = node
            parts += [_PUT.pack(1, len(name), version, len(data)), name, data]
    body = b"".join(parts)
    return _FRAME.pack(len(body), zlib.crc32(body)) + body


def _body_at(journal: bytes, position: int) -> bytes | None:
    """The body of the frame there, or None where it is not whole."""
    start = position + _FRAME.size
    if start > len(journal):
        return None
    size, checksum = _FRAME.unpack_from(journal, position)
    body = journal[start : start + size]
    if not size or len(body) < size or zlib.crc32(body) != checksum:
        return None
    return body


def _changes(body: bytes) -> Iterator[Change]:
    position = 0
    while position < len(body):
        if body[position]:
            _, name_size, version, data_size = _PUT.unpack_from(body, position)
            position += _PUT.size
            name = body[position : position + name_size].decode()
            position += name_size
            yield name, (body[position : position + data_size], version)
            position += data_size
        else:
            _, name_size = _DROP.unpack_from(body, position)
            position += _DROP.size
            yield body[position : position + name_size].decode(), None
            position += name_size


def _live_size(path: str, node: Node) -> int:
    return _FRAME.size + _PUT.size + len(path) + len(node[0])
