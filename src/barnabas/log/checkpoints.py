"""The small text files of a log directory that hold one offset per partition.

Source: Kafka's OffsetCheckpointFile, version 0: version, count, then "topic partition offset". An
empty one says nothing of any: Kafka makes the file before it has something to write.
"""

from collections.abc import Mapping

from barnabas.ports import Disk
from barnabas.types import TopicPartition

RECOVERY_POINT = "recovery-point-offset-checkpoint"
LOG_START = "log-start-offset-checkpoint"
HIGH_WATERMARK = "replication-offset-checkpoint"
CLEANED_UP_TO = "cleaner-offset-checkpoint"

_VERSION = "0"


def read_offsets(disk: Disk, path: str) -> dict[TopicPartition, int] | None:
    """Offset per partition; empty if the file is not there, None if it is damaged.

    A checkpoint only saves work: with none, all is recovered from the logs.
    """
    data = disk.read_file(path) if disk.exists(path) else b""
    if not data:
        return {}
    version, _, rest = data.decode("utf-8", "replace").partition("\n")
    count, _, rows = rest.partition("\n")
    offsets = {}
    try:
        for row in rows.split("\n"):
            if row:
                topic, partition, offset = row.split(" ")
                offsets[TopicPartition(topic, int(partition))] = int(offset)
        whole = version == _VERSION and len(offsets) == int(count)
    except ValueError:
        whole = False
    return offsets if whole else None


def write_offsets(disk: Disk, path: str, offsets: Mapping[TopicPartition, int]) -> None:
    """Replace the file, whole or not at all."""
    rows = [f"{topic} {number} {offset}\n" for (topic, number), offset in offsets.items()]
    text = f"{_VERSION}\n{len(rows)}\n{''.join(rows)}"
    disk.replace_file(path, text.encode("utf-8"))
