"""A broker's record of its log directories: partitions, ends and segments.

Each directory has a copy of everything, so that the contents of a missing one are known. The file
is written with the checkpoints and consists of lines with checksums. Changes in between are
appended: new partitions, and partitions given up while their directory was away.

Only names on stable storage are recorded. So whatever is missing at a start, and was not deleted,
was removed by someone else.
"""

import zlib
from collections.abc import Iterable, Iterator
from typing import NamedTuple, Self

from barnabas.log.file_names import uuid_text
from barnabas.types import TopicPartition

INVENTORY = "barnabas.partitions"
_MARK = "barnabas partitions 1"

THERE = "there"
LOST = "lost"
"""The same, but it was not found by a later start. It ends where it was closed."""
LOST_OPEN = "lost-open"
"""The same of one that was not closed: it may have got more records than is known."""
DELETED_AWAY = "deleted"
"""The topic was deleted, or its log moved, while the directory was away: it goes when that is back."""
REPLACED = "replaced"
"""The partition continued elsewhere while the directory was away: set its returning files aside."""
MADE_ANEW = "anew"
"""The log is gone. A new one in its place may be there: what a start finds of it is complete."""


class KnownSegment(NamedTuple):
    """A segment that is there for sure: `BASE[:SIZE[:ABORTED]]`."""

    base: int
    size: int = 0
    """Bytes of batches that it has at least."""
    aborted: int = 0
    """Entries that its file of aborted transactions has at least; 0: there may be no file."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse its text."""
        base, _, rest = text.partition(":")
        size, _, aborted = rest.partition(":")
        # Before entries were counted there was a word in place of their number.
        return cls(int(base), int(size or 0), int(aborted) if aborted.isdigit() else bool(aborted))

    def __str__(self) -> str:
        if not self.size and not self.aborted:
            return str(self.base)
        return f"{self.base}:{self.size}{f':{self.aborted}' if self.aborted else ''}"


class KnownLog(NamedTuple):
    """One partition in one directory. `segments` are those that are there for sure."""

    state: str
    topic_id: str
    """As Kafka prints it."""
    epoch: int
    start: int
    end: int
    segments: str

    @property
    def is_there(self) -> bool:
        """Whether the directory has the partition's records."""
        return self.state in (THERE, LOST, LOST_OPEN)

    @property
    def known_segments(self) -> list[KnownSegment]:
        """`segments`, parsed."""
        return [KnownSegment.parse(each) for each in self.segments.split(",") if each]

    def is_of(self, topic_id: bytes) -> bool:
        """Whether it is of the topic with this id."""
        return self.topic_id == uuid_text(topic_id)


class InventorySection:
    """The entry of one directory.

    `token`: the directory was closed cleanly, with this value in its marker; empty: it is in use,
    or its broker crashed. `checkpoint` is the checksum of its recovery points, which Kafka writes
    too: if it differs, another broker used the directory since. It is noted before those are written, so
    `former`, the one before, counts as well; None: there was none.
    """

    __slots__ = (
        "checkpoint", "directory_id", "former", "partitions", "path", "token", "was_in_order",
    )  # fmt: skip

    def __init__(self, directory_id: str, path: str, token: str = "", checkpoint: int = 0) -> None:
        self.directory_id = directory_id
        self.path = path
        self.token = token
        self.was_in_order = False
        """Whether it was left in order before this broker began to use it."""
        self.checkpoint = checkpoint
        self.former: int | None = None
        self.partitions: dict[TopicPartition, KnownLog] = {}

    def header(self) -> str:
        """The line of the directory itself."""
        return f"directory {self.directory_id} {self.token or '-'} {self.checkpoint} {self.path}"

    def row(self, partition: TopicPartition, known: KnownLog) -> str:
        """The line of a partition in it."""
        state, topic_id, epoch, start, end, segments = known
        return (
            f"{state} {self.directory_id} {topic_id} {epoch} {start} {end} {segments or '-'}"
            f" {partition.partition} {partition.topic}"
        )

    def is_exact(self, known: KnownLog) -> bool:
        """Whether a partition's end is known for sure, as its log was closed there."""
        return known.state == LOST or (known.state == THERE and bool(self.token))

    def rows(self) -> Iterator[str]:
        """The lines of its partitions."""
        for partition, known in self.partitions.items():
            yield self.row(partition, known)


class DirectoryInventory:
    """The sections of all directories, by their ids. `number` grows with each writing."""

    def __init__(self, number: int = 0) -> None:
        self.number = number
        self.sections: dict[str, InventorySection] = {}

    @classmethod
    def parse(cls, data: bytes) -> Self | None:
        """Parse a file and its appended lines; None if it is damaged."""
        mark, _, rest = data.partition(b"\n")
        head, _, body = rest.partition(b"\n")
        try:
            number, size, checksum = map(int, head.split())
        except ValueError:
            return None
        if mark != _MARK.encode() or len(body) < size or zlib.crc32(body[:size]) != checksum:
            return None
        found = cls(number)
        for row in _text(body[:size]).split("\n"):
            found._take(row)
        for added in _text(body[size:]).split("\n"):
            checksum_text, _, row = added.partition(" ")
            if checksum_text == _checksum(row):
                found._take(row)
        return found

    def _take(self, row: str) -> None:
        kind, _, rest = row.partition(" ")
        if kind == "directory":
            directory_id, token, checkpoint, path = rest.split(" ", 3)
            section = self.sections.get(directory_id)
            if section is None:
                section = self.sections[directory_id] = InventorySection(directory_id, path)
            else:
                section.former = section.checkpoint
            section.path, section.checkpoint = path, int(checkpoint)
            section.token = token.strip("-")
        elif kind:
            directory_id, topic_id, epoch, start, end, segments, index, topic = rest.split(" ", 7)
            known = KnownLog(kind, topic_id, int(epoch), int(start), int(end), segments.strip("-"))
            section = self.sections.setdefault(directory_id, InventorySection(directory_id, ""))
            section.partitions[TopicPartition(topic, int(index))] = known

    def of_path(self, path: str) -> list[InventorySection]:
        """What is known of directories that were at this path."""
        return [section for section in self.sections.values() if section.path == path]


def encode(number: int, rows: Iterable[str]) -> bytes:
    """Encode a whole file. Names with a line break are omitted: their partitions are not known."""
    body = _bytes("".join(f"{row}\n" for row in rows if "\n" not in row))
    return _bytes(f"{_MARK}\n{number} {len(body)} {zlib.crc32(body)}\n") + body


def addition(row: str) -> bytes:
    """A line that is appended to a file; a torn one is ignored."""
    return b"" if "\n" in row else _bytes(f"\n{_checksum(row)} {row}\n")


def _checksum(row: str) -> str:
    return f"{zlib.crc32(_bytes(row)):08x}"


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
