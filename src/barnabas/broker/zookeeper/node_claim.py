"""Claim a broker id in a shared registry: the broker's own node, permanently or not at all.

Two brokers with one number must not both serve, and a broker that was killed must get its number back.

The data of a leftover node do not tell whose it is: two machines may both advertise localhost. A broker
takes over only a node with exactly what its own directories say it wrote last.
"""

import logging

from barnabas.errors import RegistryConflict, StorageError
from barnabas.ports import Disk, SharedRegistry

log = logging.getLogger(__name__)

_LONGER = 1.5
"""ZooKeeper may keep a session a little longer than requested."""


def claim_node(registry: SharedRegistry, path: str, data: bytes, disk: Disk, file: str) -> None:
    """Make the node of a broker whose log directories are locked, for this session.

    `file` remembers what was written last. A node that says the same is of a broker with these
    directories, so of one that is dead: it is replaced at once. Any other one may be a living broker's;
    it is waited for as long as a session lasts.

    Raises:
        RegistryUnavailable: the registry does not answer.
        StorageError: another broker has the number.
    """
    written = disk.read_file(file) if disk.exists(file) else b""
    there = registry.get(path)
    if there is not None and there[0] == written:
        log.info("node of a session before is replaced", extra={"path": path})
        registry.delete(path)
    elif there is not None:
        seconds = registry.session_seconds * _LONGER
        log.warning(
            "broker is registered already; it may be gone",
            extra={"path": path, "there": there[0].decode("utf-8", "replace"), "wait_s": seconds},
        )
        if not registry.wait_until_gone(path, seconds):
            raise _taken(path, there[0])
    try:
        registry.create_ephemeral(path, data)
    except RegistryConflict:
        there = registry.get(path)
        raise _taken(path, there[0] if there else b"") from None
    disk.replace_file(file, data)


def _taken(path: str, data: bytes) -> StorageError:
    return StorageError(
        f"another broker is registered at {path}: {data.decode('utf-8', 'replace')}; "
        "each broker needs a node.id of its own"
    )
