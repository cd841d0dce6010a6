"""What is sent on a connection: buffers and file regions, in order."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from barnabas.errors import LocalProtocolError
from barnabas.ports import File
from barnabas.types import Buffer


@dataclass(slots=True)
class FileSlice:
    """`size` bytes of a file from `position`, to be sent without passing through Python.

    Nobody changes one. It is not frozen because it is made for each partition that is read, and a
    frozen one costs four times as much to make.
    """

    file: File
    position: int
    size: int

    def __len__(self) -> int:
        return self.size

    def read(self) -> bytes:
        """The bytes themselves.

        Raises:
            StorageError: they cannot be read.
        """
        return self.file.read(self.position, self.size)


class HeldRecords(bytearray):
    """Records in memory, where most come as a FileSlice: with its size under the same name."""

    __slots__ = ()

    @property
    def size(self) -> int:
        """How many bytes."""
        return len(self)

    def read(self) -> Self:
        """The bytes themselves."""
        return self


RecordData = Buffer | FileSlice | Sequence[Buffer | FileSlice]
"""What a field of records may hold: one region or several in order. Decoding gives a memoryview."""


class Send:
    """Parts to send one after the other. A part is handed over: it must not change until sent."""

    __slots__ = ("_size", "parts")

    def __init__(self, first: Buffer = b"") -> None:
        self.parts: list[Buffer | FileSlice] = [first] if first else []
        self._size = len(first)

    def add_all(self, parts: list[Buffer | FileSlice], size: int) -> None:
        """Append parts that have `size` bytes together, none of which is empty."""
        self.parts += parts
        self._size += size

    def add(self, part: Buffer | FileSlice) -> None:
        """Append one part; empty ones are dropped. A memoryview must be of bytes (format B)."""
        size = len(part)
        if size:
            self.parts.append(part)
            self._size += size

    def put_before(self, head: bytes) -> None:
        """Set `head` before all parts, joined with the first where that is bytes as well."""
        if self.parts and isinstance(self.parts[0], bytes):
            self.parts[0] = head + self.parts[0]
        else:
            self.parts.insert(0, head)
        self._size += len(head)

    def __len__(self) -> int:
        """Bytes in all parts."""
        return self._size

    def joined(self) -> bytes:
        """All parts as one value.

        Raises:
            LocalProtocolError: a part is a region of a file.
        """
        buffers = [part for part in self.parts if not isinstance(part, FileSlice)]
        if len(buffers) < len(self.parts):
            raise LocalProtocolError("a region of a file cannot be joined to bytes")
        return b"".join(buffers)
