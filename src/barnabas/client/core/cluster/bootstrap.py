"""A client's bootstrap addresses, and the failures at each. Connects to nothing."""

import re
from collections.abc import Iterable
from typing import Final

from barnabas.errors import (
    ApiVersionsUnanswered,
    ConfigError,
    ConnectionFailed,
    ConnectionRefused,
    ConnectionSetupTimeout,
    HostUnknown,
)

_CHECK: Final = "check that one runs there and that bootstrap.servers names its listener"
_CHECK_NAME: Final = "check how the host is spelled in bootstrap.servers"

_HIGHEST_PORT = 65535
_SEPARATOR = re.compile(r"[\s;=]")
_MOST_UNANSWERED = 3
"""A broker that is stopping, or a proxy of one that is starting, may close once or twice."""


def parse_addresses(servers: Iterable[str]) -> list[tuple[str, int]]:
    """Parse `bootstrap.servers` into host and port; IPv6 hosts are in brackets.

    Raises:
        ConfigError: it is empty, or contains an invalid address; the message names it.
    """
    texts = [text.strip() for text in servers if text.strip()]
    if not texts:
        raise ConfigError(
            "bootstrap.servers is empty: pass bootstrap_servers='localhost:9092', host:port of one "
            "or more brokers"
        )
    try:
        return [parse_address(text) for text in texts]
    except ConfigError as error:
        raise ConfigError(f"bootstrap.servers: {error}") from None


def parse_address(text: str) -> tuple[str, int]:
    """Parse host and port of one address; an IPv6 host is in brackets.

    Raises:
        ConfigError: it is invalid; the message says why.
    """
    if text.startswith("["):
        host, bracket, rest = text[1:].partition("]")
        colon, port = rest[:1], rest[1:]
        unclosed = not bracket or colon not in {"", ":"}
    else:
        before, colon, port = text.rpartition(":")
        host = before if colon else text
        unclosed = host.count(":") == 1  # With more, it is an IPv6 host, which Kafka accepts too.
    why = _slip(text)
    if not why and unclosed:
        why = "only an IPv6 host has colons, and it must be in brackets"
    elif not why and not host:
        why = "the host is missing"
    why = why or _wrong_port(port if colon else "")
    if why:
        raise ConfigError(f"{text} is not host:port: {why}")
    return host, int(port)


def _slip(text: str) -> str:
    """The superfluous part of an address, as advice; empty without one."""
    scheme, mark, _ = text.partition("://")
    if mark:
        return f"leave out {scheme}{mark}"
    before, slash, path = text.partition("/")
    if slash:
        return f"leave out {slash}{path}"
    found = _SEPARATOR.search(before)
    return f"{found[0]!r} is not allowed; separate several addresses by commas" if found else ""


def _wrong_port(port: str) -> str:
    if not port:
        return "the port is missing; Kafka's is 9092"
    number = int(port) if port.isdecimal() and len(port) <= len(str(_HIGHEST_PORT)) else 0
    return (
        ""
        if 0 < number <= _HIGHEST_PORT
        else (f"the port must be a number from 1 to {_HIGHEST_PORT}")
    )


class Failures:
    """Why each address failed, for one message that names them all."""

    def __init__(self) -> None:
        self._reasons: dict[str, str] = {}
        self._kinds: dict[str, type[object]] = {}
        self._unanswered: dict[str, int] = {}

    def __bool__(self) -> bool:
        return bool(self._reasons)

    def note(self, address: str, reason: object) -> None:
        """Note a failure; the last one of each address counts."""
        self._reasons[address] = str(reason)
        self._kinds[address] = type(reason)
        if isinstance(reason, ApiVersionsUnanswered):
            self._unanswered[address] = self._unanswered.get(address, 0) + 1
        else:
            self._unanswered.pop(address, None)

    def hopeless(self, addresses: Iterable[str]) -> bool:
        """Whether nothing listens at each of these addresses, nobody answers, or it is another protocol."""
        return all(
            issubclass(self._kinds.get(one, object), ConnectionRefused | ConnectionSetupTimeout)
            or self._unanswered.get(one, 0) >= _MOST_UNANSWERED
            for one in addresses
        )

    def forget(self) -> None:
        """A broker was reached: the past no longer explains anything."""
        self._reasons.clear()
        self._kinds.clear()
        self._unanswered.clear()

    def error(self) -> ConnectionFailed:
        """All of them, and what to look at."""
        if self._reasons and self._unanswered.keys() == self._reasons.keys():
            unanswered = ApiVersionsUnanswered("; ".join(self._reasons.values()))
            unanswered.tried = str(unanswered)
            return unanswered
        tried = ", ".join(f"{at} ({_reason(at, why)})" for at, why in self._reasons.items())
        kinds = set(self._kinds.values())
        where = f"no broker at {tried}" if tried else "no broker was tried in the time given"
        if kinds == {HostUnknown}:
            error: ConnectionFailed = HostUnknown(f"{where}: {_CHECK_NAME}")
        elif kinds == {ConnectionSetupTimeout}:
            error = ConnectionSetupTimeout(f"{where}: {_CHECK}")
        else:
            error = ConnectionFailed(f"{where}: {_CHECK}")
        error.tried = tried
        return error


def _reason(address: str, why: str) -> str:
    """Why an address was not reached, without the address."""
    for prefix in (f"cannot connect to {address}: ", f"{address}: ", f"{address} "):
        why = why.removeprefix(prefix)
    return why.replace(f"connecting to {address} ", "connecting ")
