"""Properties in the registry: one node per resource, with Kafka's JSON."""

import json
from collections.abc import Mapping
from urllib.parse import quote, unquote

from barnabas.errors import StorageError
from barnabas.ports import Registry

CONFIGS = "/config"

_DEFAULT = "<default>"
"""What Kafka calls the node for all that have none of their own. No encoded name is like it."""


def encode_config(config: Mapping[str, str]) -> bytes:
    """The data of a node below /config (version 1)."""
    return json.dumps({"version": 1, "config": dict(config)}, separators=(",", ":")).encode()


def read_config(registry: Registry, path: str) -> dict[str, str]:
    """The properties at `path`; none where there is no node, or only one that others are below.

    Raises:
        StorageError: the node is not what it should be, or the registry fails.
    """
    node = registry.get(path)
    return decode_config(node[0], path) if node is not None and node[0] else {}


def decode_config(data: bytes, path: str) -> dict[str, str]:
    """The properties that the node at `path` says.

    Raises:
        StorageError: it is not what it should be.
    """
    try:
        own = json.loads(data)["config"]
        return {str(key): str(value) for key, value in own.items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise StorageError(f"the properties at {path} cannot be read: {error}") from error


def write_config(registry: Registry, path: str, config: Mapping[str, str]) -> None:
    """Put properties at `path`; without any the node has none, but those below it stay."""
    if config or registry.children(path):
        registry.set(path, encode_config(config))
    else:
        registry.delete(path)


def node_name(name: str) -> str:
    """The name of a node for any text; the empty one stands for the default."""
    return quote(name, safe="") if name else _DEFAULT


def name_of_node(node: str) -> str:
    """What `node_name` was given."""
    return "" if node == _DEFAULT else unquote(node)
