"""The file with the node and cluster ids of a log directory.

Source: Kafka's MetaProperties: version 0 has `broker.id`, version 1 `node.id` and `cluster.id`, and
since 3.7 `directory.id`. The format is that of Java's Properties. Brokers of Kafka with ZooKeeper take
version 0 only, and those without it version 1.
"""

from typing import NamedTuple

from barnabas.errors import LogDirFailed

META_PROPERTIES = "meta.properties"
WITH_ZOOKEEPER, WITHOUT_ZOOKEEPER = 0, 1
"""Versions of the file."""


class MetaProperties(NamedTuple):
    """Whose a log directory is. An empty text is an id that the file does not give."""

    node_id: int
    cluster_id: str
    directory_id: str
    version: int = WITHOUT_ZOOKEEPER

    def encode(self) -> bytes:
        """The file."""
        rows = {
            "version": str(self.version),
            "cluster.id": self.cluster_id,
            "node.id" if self.version else "broker.id": str(self.node_id),
            "directory.id": self.directory_id,
        }
        return "".join(f"{name}={value}\n" for name, value in rows.items()).encode("ascii")


def parse_meta_properties(path: str, data: bytes) -> MetaProperties:
    """Read version 0 or 1.

    Raises:
        LogDirFailed: it is neither; `path` is named.
    """
    rows = {}
    for line in data.decode("utf-8", "replace").splitlines():
        name, equals, value = line.partition("=")
        if equals and not line.lstrip().startswith(("#", "!")):
            rows[name.strip()] = value.strip().replace("\\:", ":").replace("\\=", "=")
    node = rows.get("node.id") or rows.get("broker.id") or ""
    version = rows.get("version", "")
    if version not in ("0", "1") or not node.isdigit():
        raise LogDirFailed(
            f"{path} is not a meta.properties of version 0 or 1 with a node id: put a copy of it back,"
            " or move it away: the broker then writes one with its own node.id"
        )
    cluster_id, directory_id = rows.get("cluster.id", ""), rows.get("directory.id", "")
    return MetaProperties(int(node), cluster_id, directory_id, int(version))
