"""The small text files of a log directory that hold one offset per partition.

Source: Kafka's OffsetCheckpointFile, version 0: version, count, then "topic partition offset". An
empty file has no entries: Kafka creates the file before it has something to write.
"""

import logging
import re
from collections.abc import Mapping
from typing import NamedTuple

from barnabas.errors import StorageError
from barnabas.log.directories.inventory import KnownLog
from barnabas.ports import Disk
from barnabas.types import TopicPartition

RECOVERY_POINT = "recovery-point-offset-checkpoint"
LOG_START = "log-start-offset-checkpoint"
HIGH_WATERMARK = "replication-offset-checkpoint"
CLEANED_UP_TO = "cleaner-offset-checkpoint"

_log = logging.getLogger(__name__)

NOT_READABLE = -1
"""The start of a log whose checkpoint is damaged."""

_VERSION = "0"
_ROW = re.compile(r"(\S+) (\d{1,10}) (\d{1,18})", re.ASCII)


class Checkpoint(NamedTuple):
    """The entries of a log directory's checkpoints for one partition."""

    recovery_point: int = 0
    start_offset: int = 0
    """`NOT_READABLE`: not known."""

    clean: bool = False
    """The broker stopped in order, so nothing needs to be recovered."""

    high_watermark: int = -1
    """-1: not known."""

    known: KnownLog | None = None
    """The inventory's entry."""

    def knowing(self, known: KnownLog | None) -> "Checkpoint":
        """With the inventory's entry, whose start counts where that of the checkpoint is not readable.

        Without an entry the log starts with its first segment, as in Kafka: deleted records may be back,
        but none is hidden by a row that nobody can be sure of.
        """
        start = self.start_offset
        if start == NOT_READABLE:
            start = 0 if known is None else known.start
        return self._replace(start_offset=start, known=known)


NO_CHECKPOINT = Checkpoint()


def read_offsets(disk: Disk, path: str) -> dict[TopicPartition, int]:
    """Return the offset per partition; empty without a file, or if it is damaged. Damage is logged.

    A checkpoint only saves work: without it, everything is found in the logs.
    """
    return readable_offsets(disk, path) or {}


def readable_offsets(disk: Disk, path: str) -> dict[TopicPartition, int] | None:
    """As `read_offsets`; None if the file is damaged."""
    offsets: dict[TopicPartition, int] = {}
    try:
        data = disk.read_file(path) if disk.exists(path) else b""
        fault = _decode(data, offsets) if data else ""
    except StorageError as error:
        fault = str(error)
    if not fault:
        return offsets
    _log.warning("checkpoint damaged and not used", extra={"file": path, "why": fault})
    return None


def _decode(data: bytes, offsets: dict[TopicPartition, int]) -> str:
    """Apply the rows of a file; return what is wrong with it, in words; empty if nothing is."""
    *lines, rest = data.decode("utf-8", "replace").split("\n")
    fault = "" if lines[:1] == [_VERSION] else f"it does not begin with version {_VERSION}"
    for line in lines[2:]:
        found = _ROW.fullmatch(line)
        if found:
            offsets[TopicPartition(found[1], int(found[2]))] = int(found[3])
        else:
            fault = fault or f"{line!r} is no topic, partition and offset"
    if rest:
        fault = fault or f"it ends with {rest!r}, which is no whole line"
    if lines[1:2] != [str(len(offsets))]:
        fault = fault or f"it has {len(offsets)} rows, and the count before them is another"
    return fault


def may_be_compacted(disk: Disk, log_dir: str, where: TopicPartition) -> bool | None:
    """Whether a partition's log was ever compacted, so that offsets may be missing from it.

    Brokers write the file once they compact anything, and keep a row for each log that they compacted.

    Args:
        disk: holds the files.
        log_dir: the directory above that of the partition.
        where: the partition.

    Returns:
        None if the file is not there, or damaged: then nobody can know.
    """
    path = f"{log_dir}/{CLEANED_UP_TO}"
    rows = readable_offsets(disk, path) if disk.exists(path) else None
    return None if rows is None else where in rows


def write_offsets(disk: Disk, path: str, offsets: Mapping[TopicPartition, int]) -> None:
    """Replace the file, whole or not at all."""
    disk.replace_file(path, encode_offsets(offsets))


def encode_offsets(offsets: Mapping[TopicPartition, int]) -> bytes:
    """The bytes of such a file."""
    rows = [f"{topic} {number} {offset}\n" for (topic, number), offset in offsets.items()]
    return f"{_VERSION}\n{len(rows)}\n{''.join(rows)}".encode()
