"""Notifications of changed properties below /config/changes, as Kafka writes them.

Source: KIP-55 (version 2, which names a path) and what was there before it (version 1).
"""

import json
from typing import Final

from barnabas.errors import StorageError

CHANGES: Final = "/config/changes"
PREFIX: Final = f"{CHANGES}/config_change_"
"""The registry appends a number to it that only grows."""


def encode_change(entity: str) -> bytes:
    """The data of a notification; `entity` is a path below /config: topics/NAME, users/<default>."""
    return json.dumps({"version": 2, "entity_path": entity}, separators=(",", ":")).encode()


def decode_change(data: bytes, name: str) -> str:
    """The entity whose properties have changed, as a path below /config.

    Raises:
        StorageError: the notification called `name` is none.
    """
    try:
        change = json.loads(data)
        if "entity_type" in change:  # Version 1.
            return f"{change['entity_type']}/{change['entity_name']}"
        return str(change["entity_path"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise StorageError(f"{CHANGES}/{name} is no notification: {error!r}") from error


def number_of(name: str) -> int:
    """The number of a notification by its name; -1: somebody has made it without one."""
    number = name.rpartition("_")[2]
    return int(number) if number.isdecimal() else -1
