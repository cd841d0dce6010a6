"""The addresses that a client starts from, and what went wrong at each. Connects to nothing."""

from collections.abc import Iterable

from barnabas.errors import ConfigError, ConnectionFailed, ConnectionRefused, VersionsUntold

_DEFAULT_PORT = 9092
_TIMES_UNTOLD = 3
"""A broker that is just stopping, or what stands before one that just starts, closes once or twice."""


def parse_addresses(servers: Iterable[str]) -> list[tuple[str, int]]:
    """`bootstrap.servers` as host and port; without a port it is 9092; IPv6 hosts in brackets.

    Raises:
        ConfigError: there is none, or one is not an address; the message names it.
    """
    addresses = [_parse(text.strip()) for text in servers if text.strip()]
    if not addresses:
        raise ConfigError("bootstrap.servers is empty; give host:port of at least one broker")
    return addresses


def _parse(text: str) -> tuple[str, int]:
    host, port = text, ""
    if text.startswith("["):
        host, bracket, rest = text[1:].partition("]")
        port = rest.removeprefix(":")
        if not bracket:
            raise ConfigError(f"bootstrap.servers: {text} lacks the bracket that closes its host")
    elif ":" in text:
        host, _, port = text.rpartition(":")
    if not host or (port and not port.isdecimal()) or int(port or _DEFAULT_PORT) > 65535:
        raise ConfigError(f"bootstrap.servers: {text} is not host:port")
    return host, int(port or _DEFAULT_PORT)


class Failures:
    """Why each address could not be used, for one message that names them all."""

    def __init__(self) -> None:
        self._reasons: dict[str, str] = {}
        self._refusing: set[str] = set()
        self._untold: dict[str, int] = {}

    def __bool__(self) -> bool:
        return bool(self._reasons)

    def note(self, address: str, reason: object) -> None:
        """The last reason of each address counts."""
        self._reasons[address] = str(reason)
        if isinstance(reason, ConnectionRefused):
            self._refusing.add(address)
        else:
            self._refusing.discard(address)
        if isinstance(reason, VersionsUntold):
            self._untold[address] = self._untold.get(address, 0) + 1
        else:
            self._untold.pop(address, None)

    def hopeless(self, addresses: Iterable[str]) -> bool:
        """Whether at each of these addresses nothing listens, or nobody who understands us."""
        return all(
            one in self._refusing or self._untold.get(one, 0) >= _TIMES_UNTOLD for one in addresses
        )

    def forget(self) -> None:
        """A broker was reached: the past no longer explains anything."""
        self._reasons.clear()
        self._refusing.clear()
        self._untold.clear()

    def error(self) -> ConnectionFailed:
        """All of them, and what to look at."""
        tried = "; ".join(
            why if address in why else f"{address}: {why}" for address, why in self._reasons.items()
        )
        if self._reasons and self._untold.keys() == self._reasons.keys():
            return VersionsUntold(tried)
        return ConnectionFailed(
            f"no broker could be reached ({tried or 'none was tried in the time given'}). "
            "Check that a broker runs there and that bootstrap.servers names its listener"
        )
