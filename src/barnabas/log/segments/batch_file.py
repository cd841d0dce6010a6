"""The file of a segment's batches, searched without an index."""

from collections.abc import Iterator
from typing import NamedTuple

from barnabas.errors import DamagedFile, DecodeError
from barnabas.log.file_names import segment_name
from barnabas.log.segments.log_config import LogConfig
from barnabas.log.segments.scan import FoundBatch
from barnabas.ports import Disk, File
from barnabas.records.batches.batch import BatchHeader


class BatchesEnd(NamedTuple):
    """Position and offset after a last batch, and the batch's leader epoch; -1: there is none."""

    position: int
    offset: int
    leader_epoch: int


class BatchFile:
    """A .log (or .kafka) file whose offsets start with `base_offset`.

    Invariant: written <= size; the bytes between are queued by the log and not yet in the file.
    """

    __slots__ = ("_disk", "_file", "_scheme", "base_offset", "size", "stem", "written")

    def __init__(self, disk: Disk, directory: str, base_offset: int, config: LogConfig) -> None:
        self.stem = f"{directory}/{segment_name(base_offset)}"
        self.base_offset = base_offset
        self._scheme = config.scheme
        self._disk = disk
        self._file: File | None = None
        self.size = disk.size(self.path) if disk.exists(self.path) else 0
        self.written = self.size

    @property
    def path(self) -> str:
        """The file of the batches."""
        return self.stem + self._scheme.suffix

    @property
    def file(self) -> File:
        """The file of the batches, opened (and made) when first needed."""
        if self._file is None:
            self._file = self._disk.open(self.path, create=True)
        return self._file

    def headers(self, position: int) -> Iterator[BatchHeader]:
        """Headers of the batches in the file from `position` on; DecodeError as `read_headers`."""
        return self._scheme.headers(self.file, self.base_offset, position, self.written)

    def scan(self, position: int, *, check_crcs: bool = True) -> Iterator[FoundBatch]:
        """The whole and right batches in the file from `position` on, as `scan_batches`."""
        return self._scheme.scan(
            self.file, self.base_offset, position, self.written, check_crcs=check_crcs
        )

    def first_header(self, position: int) -> BatchHeader | None:
        """The header of the batch that starts at `position`; None at the end of the file.

        Raises:
            DamagedFile: the file has something else there.
        """
        try:
            return next(self.headers(position), None)
        except DecodeError as error:
            raise self.damaged(error) from error

    def end_from(self, position: int) -> BatchesEnd:
        """Where the last whole batch ends, looked for from a batch's start on."""
        after, epoch = self.base_offset, -1
        for found in self.scan(position, check_crcs=False):
            header = found.header
            position, after, epoch = header.end, header.next_offset, header.leader_epoch
        return BatchesEnd(position, after, epoch)

    def damaged(self, error: DecodeError) -> DamagedFile:
        """The error for a file that contains something else than batches."""
        return DamagedFile(self.path, error.offset, error.expected)

    def modified_ms(self) -> int:
        """When the file last changed."""
        return self._disk.modified_ms(self.path)
