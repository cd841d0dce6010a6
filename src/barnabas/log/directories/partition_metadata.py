"""Ties a partition's directory to its topic's id. Source: Kafka's PartitionMetadataFile."""

from barnabas.errors import LogDirFailed
from barnabas.log.file_names import parse_uuid, uuid_text


def encode_topic_id(topic_id: bytes) -> bytes:
    """The text of `partition.metadata`."""
    return f"version: 0\ntopic_id: {uuid_text(topic_id)}".encode("ascii")


def parse_topic_id(data: bytes) -> bytes | None:
    """The sixteen bytes of the topic id; None if the file is not one of version 0."""
    rows = dict(line.partition(": ")[::2] for line in data.decode("ascii", "replace").split("\n"))
    if rows.get("version") != "0":
        return None
    try:
        return parse_uuid(rows.get("topic_id", ""))
    except LogDirFailed:
        return None
