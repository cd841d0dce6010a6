"""SCRAM credentials of users: the keys that verify a password. Stored, not used yet.

They are in the nodes where the users' quotas are, written as Kafka writes them in ZooKeeper. The
registry is asked each time: hardly anybody asks.
Source: RFC 5802 (the keys), RFC 7677, KIP-84, KIP-554.
"""

import hashlib
import hmac
from base64 import b64decode, b64encode
from enum import IntEnum
from typing import NamedTuple, Self

from barnabas.broker.znodes.config_znodes import (
    CONFIGS,
    name_of_node,
    node_name,
    read_config,
    write_config,
)
from barnabas.errors import StorageError
from barnabas.ports import Registry

_USERS = f"{CONFIGS}/users"

FEWEST_ITERATIONS, MOST_ITERATIONS = 4096, 16384
LONGEST_SALT = 4096
"""Bytes. Clients take 16 to 64; each is kept in memory and in the registry."""


class Mechanism(IntEnum):
    """A way to prove a password, by its number on the wire."""

    SHA_256 = 1
    SHA_512 = 2

    @property
    def title(self) -> str:
        """As SASL names it."""
        return f"SCRAM-{self.name.replace('_', '-')}"

    @property
    def digest(self) -> str:
        """As Python names its hash."""
        return self.name.replace("_", "").lower()


class Credential(NamedTuple):
    """What a broker needs to check a password; it does not reveal the password."""

    salt: bytes
    stored_key: bytes
    server_key: bytes
    iterations: int

    @classmethod
    def derived(
        cls, mechanism: Mechanism, salt: bytes, salted_password: bytes, iterations: int
    ) -> Self:
        """Of a password that a client has salted with so many iterations."""
        digest = mechanism.digest
        client_key = hmac.digest(salted_password, b"Client Key", digest)
        server_key = hmac.digest(salted_password, b"Server Key", digest)
        return cls(salt, hashlib.new(digest, client_key).digest(), server_key, iterations)

    @property
    def text(self) -> str:
        """As it is kept."""
        salt, stored, server = (b64encode(each).decode() for each in self[:3])
        return f"salt={salt},stored_key={stored},server_key={server},iterations={self.iterations}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """What `text` says.

        Raises:
            ValueError: it is not what it should be.
        """
        parts = dict(part.partition("=")[::2] for part in text.split(","))
        try:
            salt, stored, server = (
                b64decode(parts[name], validate=True)
                for name in ("salt", "stored_key", "server_key")
            )
            return cls(salt, stored, server, int(parts["iterations"]))
        except KeyError as error:
            raise ValueError(f"it has no {error}") from error


def users_with_credentials(registry: Registry) -> list[str]:
    """The users that have a password, sorted.

    Raises:
        StorageError: the registry cannot be read.
    """
    everybody = sorted(name_of_node(node) for node in registry.children(_USERS))
    return [user for user in everybody if credentials_of(registry, user)]


def credentials_of(registry: Registry, user: str) -> dict[Mechanism, Credential]:
    """The passwords of a user by mechanism.

    Raises:
        StorageError: the registry cannot be read.
    """
    path = f"{_USERS}/{node_name(user)}"
    kept = read_config(registry, path)
    try:
        return {
            mechanism: Credential.parse(kept[mechanism.title])
            for mechanism in Mechanism
            if mechanism.title in kept
        }
    except ValueError as error:
        raise StorageError(f"a password at {path} cannot be read: {error}") from error


def change_credential(
    registry: Registry, user: str, mechanism: Mechanism, credential: Credential | None
) -> None:
    """Set a password of a user; None takes it away. The others, and the user's quotas, stay.

    Raises:
        StorageError: it cannot be written; nothing is changed.
    """
    path = f"{_USERS}/{node_name(user)}"
    kept = read_config(registry, path)
    kept.pop(mechanism.title, None)
    if credential is not None:
        kept[mechanism.title] = credential.text
    write_config(registry, path, kept)
