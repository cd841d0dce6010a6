"""What files and directories of a log are called. Source: Kafka's LogFileUtils and LocalLog."""

import base64

from barnabas.errors import LogDirFailed
from barnabas.types import TopicPartition

LOG = ".log"
OLD_LOG = ".kafka"
"""Of segments whose offsets are byte positions: Kafka 0.7's own suffix."""
JAFKA_LOG = ".jafka"
"""The same of Jafka, a Java server of Kafka 0.7's wire. Opened, they get Kafka's."""
INDEX = ".index"
TIME_INDEX = ".timeindex"
TRANSACTION_INDEX = ".txnindex"
SNAPSHOT = ".snapshot"
DELETED = ".deleted"
CLEANED = ".cleaned"
SWAP = ".swap"

SEGMENT_FILES = (LOG, OLD_LOG, INDEX, TIME_INDEX, TRANSACTION_INDEX)
PARTITION_METADATA = "partition.metadata"
LEADER_EPOCHS = "leader-epoch-checkpoint"

_DIGITS = 20
_DELETED_DIRECTORY = "-delete"
_LONGEST_NAME = 255


def segment_name(base_offset: int) -> str:
    """The stem that the files of a segment share: 20 digits."""
    return f"{base_offset:020d}"


def parse_segment_file(name: str) -> tuple[int, str] | None:
    """Base offset and suffix of a segment's file or a snapshot; None for any other file."""
    stem, dot, suffix = name.partition(".")
    if len(stem) != _DIGITS or not stem.isdigit():
        return None
    return int(stem), dot + suffix


def partition_directory(partition: TopicPartition) -> str:
    """The directory of a partition, below the log directory."""
    return f"{partition.topic}-{partition.partition}"


def deleted_directory(partition: TopicPartition, unique: bytes) -> str:
    """What a partition's directory is renamed to when it is deleted; at most 255 characters."""
    suffix = f"-{partition.partition}.{unique.hex()}{_DELETED_DIRECTORY}"
    return partition.topic[: _LONGEST_NAME - len(suffix)] + suffix


def is_deleted_directory(name: str) -> bool:
    """Whether a directory holds a partition that was deleted."""
    return name.endswith(_DELETED_DIRECTORY) and "." in name


def parse_partition_directory(name: str) -> TopicPartition | None:
    """The partition whose directory this is; None where it can be nobody's.

    Topic names may hold dashes, so the number is what follows the last one.
    """
    topic, dash, number = name.rpartition("-")
    if not dash or not topic or not number.isdigit() or not number.isascii():
        return None
    return TopicPartition(topic, int(number))


def uuid_text(uuid: bytes) -> str:
    """Sixteen bytes as Kafka prints them: base64 for URLs without padding."""
    return base64.urlsafe_b64encode(uuid).rstrip(b"=").decode("ascii")


def parse_uuid(text: str) -> bytes:
    """The sixteen bytes of a printed id.

    Raises:
        LogDirFailed: the text is not one.
    """
    try:
        parsed = base64.b64decode(text + "==", altchars=b"-_", validate=True)
    except ValueError:
        parsed = b""
    if len(parsed) != 16:
        raise LogDirFailed(f"{text!r} is not an id of 16 bytes in base64")
    return parsed
