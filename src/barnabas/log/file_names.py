"""What files and directories of a log are called. Source: Kafka's LogFileUtils and LocalLog."""

import base64
import re
from collections.abc import Iterable

from barnabas.errors import LogDirFailed
from barnabas.types import TopicPartition

LOG = ".log"
OLD_LOG = ".kafka"
"""For segments whose offsets are byte positions: Kafka 0.7's own suffix."""
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

_GOING = (LOG + DELETED, LOG + SWAP, LOG + CLEANED)
_DIGITS = 20
DELETED_DIRECTORY = "-delete"
FUTURE_DIRECTORY = "-future"
"""Of a copy that takes the partition's place when it has all records (KIP-113)."""
STRAY_DIRECTORY = "-stray"
"""Of a partition that another one of its name has replaced; Kafka, too, leaves it where it is."""
_DELETED = re.compile(r".*-\d+\.[0-9a-f]{32}-delete", re.ASCII | re.DOTALL)
_FUTURE = re.compile(r"(.+)\.[0-9a-f]{32}-future", re.ASCII | re.DOTALL)
_PARTITION = re.compile(r"([^\ud800-\udfff]+)-(0|[1-9]\d{0,9})", re.ASCII)
"""A topic's name is text: it holds no bytes that a file system gives as half a surrogate pair."""
_LONGEST_NAME = 255
_LAST_PARTITION = 2**31 - 1

CLUSTER_METADATA = "__cluster_metadata"
"""The topic whose log a controller stores beside others."""


def segment_name(base_offset: int) -> str:
    """The stem that the files of a segment share: 20 digits."""
    return f"{base_offset:020d}"


def parse_segment_file(name: str) -> tuple[int, str] | None:
    """Base offset and suffix of a segment's file or a snapshot; None for any other file."""
    stem, dot, suffix = name.partition(".")
    if len(stem) != _DIGITS or not (stem.isascii() and stem.isdigit()):
        return None
    return int(stem), dot + suffix


def lost_segments(names: Iterable[str]) -> list[str]:
    """The offset indexes, sorted, of which the segment's own file is lost; `names`: a partition's files.

    An index alone is of a segment whose deletion was interrupted, where it lies before all segments
    that are there, or of one that a broker had not yet begun, where it lies behind them. Between two
    of them only a lost segment leaves it. A segment that is about to be deleted counts as there: of
    its files the one with the records is renamed first.
    """
    parsed = {parse_segment_file(name): name for name in names}
    there = {each[0] for each in parsed if each and each[1] == LOG}
    going = {each[0] for each in parsed if each and each[1] in _GOING}
    return sorted(
        name
        for each, name in parsed.items()
        if each and each[1] == INDEX and each[0] not in there | going
        if there and min(there) < each[0] < max(there)
    )


def partition_directory(partition: TopicPartition) -> str:
    """The directory of a partition, below the log directory."""
    return f"{partition.topic}-{partition.partition}"


def renamed_directory(partition: TopicPartition, unique: bytes, suffix: str) -> str:
    """What a partition's directory is renamed to when it goes; at most 255 bytes."""
    suffix = f"-{partition.partition}.{unique.hex()}{suffix}"
    topic = _bytes_of(partition.topic)[: _LONGEST_NAME - len(suffix)]
    return topic.decode("utf-8", "ignore") + suffix


def has_directory(partition: TopicPartition) -> bool:
    """Whether a partition's directory can have a name, and that of no other partition.

    A file system takes names of at most 255 bytes, and one with a slash is a path to elsewhere.
    """
    name = partition_directory(partition)
    if "/" in name or "\0" in name or len(_bytes_of(name)) > _LONGEST_NAME:
        return False
    return parse_partition_directory(name) == partition


def _bytes_of(name: str) -> bytes:
    """What a file system keeps; a name that is no UTF-8 comes from one, and goes back as it was."""
    return name.encode("utf-8", "surrogateescape")


def is_deleted_directory(name: str) -> bool:
    """Whether a directory holds a partition that was deleted: topic-N.ID-delete, an id of 32 digits."""
    return bool(_DELETED.fullmatch(name))


def parse_future_directory(name: str) -> TopicPartition | None:
    """The partition that a directory is to become: topic-N.ID-future; None if it is none such."""
    found = _FUTURE.fullmatch(name)
    return None if found is None else parse_partition_directory(found[1])


def parse_partition_directory(name: str) -> TopicPartition | None:
    """Parse the name of a partition's directory; None if it is none.

    Topic names may contain dashes, so the number follows the last one. It has no leading zero:
    otherwise two directories could belong to one partition.
    """
    found = _PARTITION.fullmatch(name)
    if found is None or int(found[2]) > _LAST_PARTITION:
        return None
    return TopicPartition(found[1], int(found[2]))


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
