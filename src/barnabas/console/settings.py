"""The settings of a console."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})
"""The names by which a browser on the same machine reaches it."""

PATIENCE_MS: Final = 10_000
"""How long a page waits for brokers: somebody is looking at it."""


@dataclass(frozen=True, slots=True)
class ConsoleSettings:
    """`client`: properties of the clients, with bootstrap.servers.

    `hosts`: the names under which browsers may address the console; others are refused, because a
    hostile page can point a name of its own at this machine (DNS rebinding). With `any_address`
    they may also use an IP address, which nobody can point elsewhere. Without a `password`
    everybody who reaches the port sees everything. `registry` is the address of a schema registry.
    """

    client: Mapping[str, Any]
    read_only: bool = False
    password: str | None = field(default=None, repr=False)
    hosts: frozenset[str] = LOOPBACK
    any_address: bool = False
    registry: str | None = None

    @property
    def servers(self) -> str:
        """The brokers to start from, as given."""
        given = self.client["bootstrap.servers"]
        return given if isinstance(given, str) else ",".join(given)

    def client_properties(self, **own: object) -> dict[str, object]:
        """Properties for a client of the console; `own` have underscores, and override."""
        named = {name.replace("_", "."): value for name, value in own.items()}
        usual = {"default.api.timeout.ms": PATIENCE_MS, "client.id": "barnabas-console"}
        return {**usual, **self.client, **named}
