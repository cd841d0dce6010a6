"""The file that ties a partition's directory to its topic's id. Source: Kafka's PartitionMetadataFile."""

from barnabas.errors import LogDirFailed
from barnabas.log.file_names import parse_uuid, uuid_text


def encode_topic_id(topic_id: bytes) -> bytes:
    """The text of `partition.metadata`."""
    return f"version: 0\ntopic_id: {uuid_text(topic_id)}".encode("ascii")


def parse_topic_id(data: bytes) -> bytes:
    """The sixteen bytes of the topic id.

    Raises:
        LogDirFailed: the file is not one of version 0.
    """
    rows = dict(line.split(": ", 1) for line in data.decode("ascii", "replace").split("\n") if line)
    if rows.get("version") != "0" or "topic_id" not in rows:
        raise LogDirFailed("partition.metadata is not of version 0 with a topic id")
    return parse_uuid(rows["topic_id"])
