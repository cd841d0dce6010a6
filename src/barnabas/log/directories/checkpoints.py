"""The small text files of a log directory that hold one offset per partition.

Source: Kafka's OffsetCheckpointFile, version 0: version, count, then "topic partition offset". An
empty file has no entries: Kafka creates the file before it has something to write.
"""

import logging
import re
from collections.abc import Mapping
from typing import NamedTuple

from barnabas.errors import StorageError
from barnabas.log.directories.inventory import Known
from barnabas.ports import Disk
from barnabas.types import TopicPartition

RECOVERY_POINT = "recovery-point-offset-checkpoint"
LOG_START = "log-start-offset-checkpoint"
HIGH_WATERMARK = "replication-offset-checkpoint"
CLEANED_UP_TO = "cleaner-offset-checkpoint"

_log = logging.getLogger(__name__)

_VERSION = "0"
_ROW = re.compile(r"(\S+) (\d{1,10}) (\d{1,18})", re.ASCII)


class Checkpoint(NamedTuple):
    """The entries of a log directory's checkpoints for one partition."""

    recovery_point: int = 0
    start_offset: int = 0
    clean: bool = False
    """The broker stopped in order, so nothing needs to be recovered."""

    high_watermark: int = -1
    """-1: not known."""

    known: Known | None = None
    """The inventory's entry."""


NO_CHECKPOINT = Checkpoint()


def read_offsets(
    disk: Disk, path: str, *, also_of_damaged: bool = False
) -> dict[TopicPartition, int]:
    """Return the offset per partition; empty without a file. Damage is logged.

    A checkpoint only saves work: without it, everything is found in the logs. `also_of_damaged`:
    use the readable rows of a damaged one.
    """
    offsets: dict[TopicPartition, int] = {}
    try:
        data = disk.read_file(path) if disk.exists(path) else b""
        fault = _decode(data, offsets) if data else ""
    except StorageError as error:
        fault = str(error)
    if not fault:
        return offsets
    used = len(offsets) if also_of_damaged else 0
    _log.warning("checkpoint damaged", extra={"file": path, "why": fault, "rows_used": used})
    return offsets if also_of_damaged else {}


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


def write_offsets(disk: Disk, path: str, offsets: Mapping[TopicPartition, int]) -> None:
    """Replace the file, whole or not at all."""
    disk.replace_file(path, encode_offsets(offsets))


def encode_offsets(offsets: Mapping[TopicPartition, int]) -> bytes:
    """The bytes of such a file."""
    rows = [f"{topic} {number} {offset}\n" for (topic, number), offset in offsets.items()]
    return f"{_VERSION}\n{len(rows)}\n{''.join(rows)}".encode()
