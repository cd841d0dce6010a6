"""Parse listener properties into endpoints. Opens no socket."""

import logging
from typing import NamedTuple

from barnabas.config.broker import BrokerConfig
from barnabas.errors import ConfigError

log = logging.getLogger(__name__)

_NO_CONTROLLER = (
    "listener %s://%s:%d stays closed: controller.listener.names lists it, and the controller is "
    "part of this broker"
)
_PLAIN = "PLAINTEXT"
KAFKA, KAFKA_07, PROPOSAL = "kafka", "kafka-0.7", "proposal"
_DIALECTS = (KAFKA, KAFKA_07, PROPOSAL)
_PROTOCOLS = (_PLAIN, "SSL", "SASL_PLAINTEXT", "SASL_SSL")


class Endpoint(NamedTuple):
    """One listener: name, host and port. An empty host means every address of the machine."""

    name: str
    host: str
    port: int


def listeners(config: BrokerConfig) -> list[Endpoint]:
    """Return the listeners to open, without those of the controller.

    Raises:
        ConfigError: an entry is malformed; a name occurs twice (an IPv4 and an IPv6 address may share
            one name and port, KIP-797); no listener is left; or one needs TLS or SASL.
    """
    skipped = _controllers(config)
    found = [_endpoint("listeners", text) for text in config.listeners]
    opened = [endpoint for endpoint in found if endpoint.name not in skipped]
    for endpoint in found:
        if endpoint.name in skipped:
            log.info(_NO_CONTROLLER, *endpoint)
    if not opened:
        raise ConfigError("listeners: at least one must not be a controller's")
    for name in {endpoint.name for endpoint in opened}:
        _refuse_twice(config, [endpoint for endpoint in opened if endpoint.name == name])
    protocols = _protocols(config)
    dialects = _dialects(config)
    for endpoint in opened:
        if endpoint.name not in dialects or endpoint.name in protocols:
            _refuse_unserved(endpoint.name, protocols)
    return opened


def dialect_of(config: BrokerConfig, listener: str) -> str:
    """Return the dialect that the clients of a listener speak.

    Raises:
        ConfigError: the map is malformed.
    """
    return _dialects(config).get(listener, KAFKA)


def _dialects(config: BrokerConfig) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in config.listener_dialect_map:
        name, _, dialect = (part.strip() for part in text.partition(":"))
        if not name or dialect not in _DIALECTS:
            raise ConfigError(
                f"listener.dialect.map={text}: expected NAME:{KAFKA_07}, with one of "
                f"{', '.join(_DIALECTS)}"
            )
        if found.setdefault(name.upper(), dialect) != dialect:
            raise ConfigError(f"listener.dialect.map={text}: {name} occurs twice")
    return found


def advertised(config: BrokerConfig, bound: list[Endpoint]) -> dict[str, Endpoint]:
    """Return the address that each listener advertises to clients, by listener name.

    `bound` holds the opened addresses with their real ports; of two with one name, the first is
    advertised. A listener on every address is advertised as the loopback address; set
    advertised.listeners for clients on other machines. Entries of a controller's listener are
    ignored.

    Raises:
        ConfigError: an entry is malformed, has no host to connect to, or names no listener.
    """
    skipped = _controllers(config)
    found: dict[str, Endpoint] = {}
    for endpoint in bound:
        everywhere = endpoint.host in {"", "0.0.0.0", "::"}  # noqa: S104 - read, not bound
        found.setdefault(
            endpoint.name, endpoint._replace(host="localhost") if everywhere else endpoint
        )
    for text in config.advertised_listeners:
        endpoint = _endpoint("advertised.listeners", text)
        if endpoint.name in skipped and endpoint.name not in found:
            continue
        if endpoint.name not in found:
            raise ConfigError(f"advertised.listeners={text}: there is no listener {endpoint.name}")
        if not endpoint.host:
            raise ConfigError(f"advertised.listeners={text}: a host is missing")
        if endpoint.host == "0.0.0.0":  # noqa: S104 - read, not bound
            raise ConfigError(
                f"advertised.listeners={text}: expected an address that clients can connect to"
            )
        found[endpoint.name] = (
            endpoint if endpoint.port else endpoint._replace(port=found[endpoint.name].port)
        )
    return found


def _refuse_twice(config: BrokerConfig, named: list[Endpoint]) -> None:
    """Refuse names that occur twice, except for an IPv4 and an IPv6 address. Source: KIP-797."""
    kinds = {_ip_version(endpoint.host) for endpoint in named}
    if len(named) > 1 and not (
        len(named) == 2 and kinds == {4, 6} and named[0].port == named[1].port
    ):
        raise ConfigError(
            f"listeners={','.join(config.listeners)}: a name may occur once, or twice for an IPv4 "
            "and an IPv6 address with the same port"
        )


def _ip_version(host: str) -> int:
    """Return 4 or 6 for an address, 0 for a host name."""
    if ":" in host:
        return 6
    return 4 if host.count(".") == 3 and host.replace(".", "").isdecimal() else 0


def _controllers(config: BrokerConfig) -> set[str]:
    return {name.upper() for name in config.controller_listener_names}


def _protocols(config: BrokerConfig) -> dict[str, str]:
    """The security protocol of each listener name in the map."""
    found: dict[str, str] = {}
    for text in config.listener_security_protocol_map:
        name, _, protocol = (part.strip().upper() for part in text.partition(":"))
        if not name or protocol not in _PROTOCOLS:
            raise ConfigError(
                f"listener.security.protocol.map={text}: expected NAME:{_PLAIN}, with one of "
                f"{', '.join(_PROTOCOLS)}"
            )
        if found.setdefault(name, protocol) != protocol:
            raise ConfigError(f"listener.security.protocol.map={text}: {name} occurs twice")
    return found


def _refuse_unserved(name: str, protocols: dict[str, str]) -> None:
    protocol = protocols.get(name)
    if protocol is None:
        raise ConfigError(
            f"listeners={name}://…: listener.security.protocol.map has no entry for {name}; add "
            f"{name}:{_PLAIN}"
        )
    if protocol != _PLAIN:
        is_what = "" if name == protocol else f"{name} is {protocol}: "
        raise ConfigError(
            f"listeners={name}://…: {is_what}TLS and SASL are not supported yet, only {_PLAIN} is"
        )


def _endpoint(name: str, text: str) -> Endpoint:
    protocol, separator, address = text.partition("://")
    host, colon, port = address.rpartition(":")
    if not separator or not colon or not port.isdecimal() or int(port) > 65535:
        raise ConfigError(f"{name}={text}: expected {_PLAIN}://host:port")
    return Endpoint(protocol.strip().upper(), host.strip("[]"), int(port))
