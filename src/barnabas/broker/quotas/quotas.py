"""Quotas: limits per user, client id and address; stored, and looked up for each client.

What clients use is counted elsewhere (`throttling`).
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from barnabas.broker.znodes.config_znodes import (
    CONFIGS,
    name_of_node,
    node_name,
    read_config,
    write_config,
)
from barnabas.errors import StorageError
from barnabas.ports import Registry

PRODUCE = "producer_byte_rate"
FETCH = "consumer_byte_rate"
REQUEST = "request_percentage"
MUTATION = "controller_mutation_rate"
CONNECTION = "connection_creation_rate"

OF_CLIENTS = frozenset({PRODUCE, FETCH, REQUEST, MUTATION})
OF_ADDRESSES = frozenset({CONNECTION})
_ALL = OF_CLIENTS | OF_ADDRESSES
"""What else is in the node of a user are passwords (`scram_credentials`)."""

USER, CLIENT, ADDRESS = "user", "client-id", "ip"

DEFAULT = ""
"""The name of an entity that stands for all those without a quota of their own. No name is empty."""

_USERS, _CLIENTS, _ADDRESSES = f"{CONFIGS}/users", f"{CONFIGS}/clients", f"{CONFIGS}/ips"


class Entity(NamedTuple):
    """The entity of a quota: a user, a client id, both together, or an address; None: not part of it."""

    user: str | None = None
    client_id: str | None = None
    address: str | None = None

    @property
    def path(self) -> str:
        """Its node, as Kafka has it in ZooKeeper."""
        if self.address is not None:
            return f"{_ADDRESSES}/{node_name(self.address)}"
        if self.user is None:
            return f"{_CLIENTS}/{node_name(self.client_id or DEFAULT)}"
        user = f"{_USERS}/{node_name(self.user)}"
        return user if self.client_id is None else f"{user}/clients/{node_name(self.client_id)}"


class Limit(NamedTuple):
    """A quota as it applies to a client, and the group of clients that share it."""

    bound: float
    shared_by: Entity


class Quotas:
    """All quotas. A change is durable after `write`.

    `in_force`: whether any client has one, so that nothing is counted where there is none.
    """

    __slots__ = ("_by_entity", "_clients", "_found", "_registry", "in_force")

    def __init__(self, registry: Registry) -> None:
        """Have what there is; raises as `read`."""
        self._registry = registry
        self._by_entity: dict[Entity, dict[str, float]] = {}
        self._clients: set[Entity] = set()
        """Those of them that are no addresses."""
        self.in_force = False
        self._found: dict[tuple[str, str, str], Limit | None] = {}
        self.adopt(self.read())

    def read(self) -> dict[Entity, dict[str, float]]:
        """All that the registry has by now, for `adopt`: another broker may have changed them.

        Raises:
            StorageError: the registry cannot be read.
        """
        registry = self._registry
        return {
            entity: _numbers(entity.path, read_config(registry, entity.path))
            for entity in _stored(registry)
        }

    def adopt(self, found: Mapping[Entity, dict[str, float]]) -> None:
        """These are in force from now on, and no others."""
        for entity in found.keys() | {*self._by_entity}:
            self._set(entity, found.get(entity, {}))
        self._found.clear()

    def __iter__(self) -> Iterator[tuple[Entity, Mapping[str, float]]]:
        """Each entity with its quotas."""
        return iter(self._by_entity.items())

    def changed(self, entity: Entity, changes: Mapping[str, float | None]) -> dict[str, float]:
        """What an entity would have with these changes; None takes a quota away."""
        values = dict(self._by_entity.get(entity, {}))
        for key, value in changes.items():
            if value is None:
                values.pop(key, None)
            else:
                values[key] = value
        return values

    def write(self, entity: Entity, values: Mapping[str, float]) -> None:
        """Write down all quotas of an entity, for `take`; only the registry is called.

        Raises:
            StorageError: they cannot be written; nothing is changed.
        """
        texts = {key: repr(value) for key, value in values.items()}
        kept = read_config(self._registry, entity.path)
        others = {key: text for key, text in kept.items() if key not in _ALL}
        write_config(self._registry, entity.path, {**others, **texts})

    def take(self, entity: Entity, values: dict[str, float]) -> None:
        """Have the quotas of an entity that are written down."""
        self._set(entity, values)
        self._found.clear()

    def _set(self, entity: Entity, values: dict[str, float]) -> None:
        if values:
            self._by_entity[entity] = values
        else:
            self._by_entity.pop(entity, None)
        if values and entity.address is None:
            self._clients.add(entity)
        else:
            self._clients.discard(entity)
        self.in_force = bool(self._clients)

    def of_client(self, key: str, user: str, client_id: str) -> Limit | None:
        """The quota called `key` of a client; None: it may use what it likes.

        The first of eight entities that has such a quota decides. Source: Kafka's client quotas
        (KIP-55): a user's come before a client's, named ones before defaults.
        """
        asked = key, user, client_id
        if len(client_id) > _USUAL_LENGTH:
            return self._find(*asked)
        if asked not in self._found:
            if len(self._found) >= _MOST_FOUND:
                self._found.clear()
            self._found[asked] = self._find(*asked)
        return self._found[asked]

    def of_address(self, address: str) -> float | None:
        """How many connections a second an address may open; None: as many as it likes."""
        for entity in (Entity(address=address), Entity(address=DEFAULT)):
            bound = self._by_entity.get(entity, {}).get(CONNECTION)
            if bound is not None:
                return bound
        return None

    def _find(self, key: str, user: str, client_id: str) -> Limit | None:
        for entity in (
            Entity(user, client_id),
            Entity(user, DEFAULT),
            Entity(user),
            Entity(DEFAULT, client_id),
            Entity(DEFAULT, DEFAULT),
            Entity(DEFAULT),
            Entity(None, client_id),
            Entity(None, DEFAULT),
        ):
            bound = self._by_entity.get(entity, {}).get(key)
            if bound is not None:
                # A default holds for each one by itself.
                shared_by = Entity(
                    None if entity.user is None else user,
                    None if entity.client_id is None else client_id[:_USUAL_LENGTH],
                )
                return Limit(bound, shared_by)
        return None


_USUAL_LENGTH = 255
"""How many characters of a client id are kept; it may have 32,767. Ids with the same ones count as one."""
_MOST_FOUND = 10_000
"""How many clients' quotas are cached: a client with ever new ids takes no more memory."""


def _stored(registry: Registry) -> Iterator[Entity]:
    for user in registry.children(_USERS):
        yield Entity(name_of_node(user))
        for client_id in registry.children(f"{_USERS}/{user}/clients"):
            yield Entity(name_of_node(user), name_of_node(client_id))
    for client_id in registry.children(_CLIENTS):
        yield Entity(None, name_of_node(client_id))
    for address in registry.children(_ADDRESSES):
        yield Entity(address=name_of_node(address))


def _numbers(path: str, texts: Mapping[str, str]) -> dict[str, float]:
    try:
        return {key: float(text) for key, text in texts.items() if key in _ALL}
    except ValueError as error:
        raise StorageError(f"the quotas at {path} cannot be read: {error}") from error
