"""A broker's nodes in ZooKeeper, as in Kafka 0.8 to 3: paths and JSON.

Clients and tools up to 0.10 find brokers, topics and partitions there and nowhere else.
Source: what brokers of 0.8.2.2 and 0.10.2.2 write; KAFKA-1357, KIP-36, KIP-103, KIP-584.
"""

import json
from collections.abc import Mapping

from barnabas.config.listeners import Endpoint
from barnabas.config.releases import is_before
from barnabas.errors import StorageError
from barnabas.types import bracketed

BROKERS = "/brokers/ids"
CONTROLLER = "/controller"
CONTROLLER_EPOCH = "/controller_epoch"
CLUSTER = "/cluster/id"

_PLAIN = "PLAINTEXT"

_VERSION_BEFORE = {"0.9.0": 1, "0.10.0": 2, "0.10.2": 3, "2.7": 4}
"""The version of a broker's node: the one before which release line; 5 since then."""

_WITHOUT_PROFILE = 4
"""The last version with nothing in it that only other brokers read."""


def encode_broker(
    release: str, endpoints: Mapping[str, Endpoint], time_ms: int, rack: str | None = None
) -> bytes:
    """The data of /brokers/ids/N: where clients connect, by listener name."""
    version = _version(release)
    plain = endpoints.get(_PLAIN) or next(iter(endpoints.values()))
    fields: dict[str, tuple[int, object]] = {
        "jmx_port": (1, -1),
        "timestamp": (1, str(time_ms)),
        "host": (1, plain.host),
        "version": (1, version),
        "port": (1, plain.port),
        "endpoints": (2, [f"{name}://{_shown(one)}" for name, one in endpoints.items()]),
        "listener_security_protocol_map": (4, dict.fromkeys(endpoints, _PLAIN)),
        "features": (5, {}),
    }
    if rack is not None:
        fields["rack"] = (3, rack)
    return _dump({name: value for name, (since, value) in fields.items() if since <= version})


def encode_controller(node_id: int, time_ms: int) -> bytes:
    """The data of /controller."""
    return _dump({"version": 1, "brokerid": node_id, "timestamp": str(time_ms)})


def decode_controller(data: bytes) -> int:
    """The broker that /controller names.

    Raises:
        StorageError: it names none.
    """
    try:
        return int(json.loads(data)["brokerid"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise StorageError(f"the registry's node {CONTROLLER} cannot be read: {error}") from error


def encode_state(node_id: int, leader_epoch: int) -> bytes:
    """The data of /brokers/topics/T/partitions/P/state where one broker has all replicas.

    The leader never changes, so the first controller's word holds.
    """
    return _dump(
        {
            "controller_epoch": 1,
            "leader": node_id,
            "version": 1,
            "leader_epoch": leader_epoch,
            "isr": [node_id],
        }
    )


def encode_cluster(cluster_id: str) -> bytes:
    """The data of /cluster/id (KIP-78)."""
    return _dump({"version": "1", "id": cluster_id})


def decode_cluster(data: bytes) -> str:
    """The cluster that a node of ZooKeeper names.

    Raises:
        StorageError: it names none.
    """
    try:
        return str(json.loads(data)["id"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise StorageError(f"the registry's node {CLUSTER} cannot be read: {error}") from error


def next_epoch(data: bytes) -> int:
    """The number of the next controller, after the one in /controller_epoch.

    Raises:
        StorageError: there is no number.
    """
    try:
        return int(data) + 1
    except ValueError as error:
        what = f"the registry's node {CONTROLLER_EPOCH} cannot be read: {error}"
        raise StorageError(what) from error


def _version(release: str) -> int:
    if not release:
        return _WITHOUT_PROFILE
    return next(
        (version for before, version in _VERSION_BEFORE.items() if is_before(release, before)), 5
    )


def _shown(endpoint: Endpoint) -> str:
    return f"{bracketed(endpoint.host)}:{endpoint.port}"


def _dump(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()
