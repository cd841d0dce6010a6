"""Listener properties as endpoints. Opens nothing."""

import logging
from typing import NamedTuple

from barnabas.config.broker import BrokerConfig
from barnabas.errors import ConfigError

log = logging.getLogger(__name__)

_NO_CONTROLLER = (
    "listener %s://%s:%d is not opened: controller.listener.names has it, and the controller is part "
    "of this broker"
)
_PLAIN = "PLAINTEXT"
KAFKA, KAFKA_07, PROPOSAL = "kafka", "kafka-0.7", "proposal"
_DIALECTS = (KAFKA, KAFKA_07, PROPOSAL)
_PROTOCOLS = (_PLAIN, "SSL", "SASL_PLAINTEXT", "SASL_SSL")


class Endpoint(NamedTuple):
    """One listener: its name, and where it is. An empty host is every address of the machine."""

    name: str
    host: str
    port: int


def listeners(config: BrokerConfig) -> list[Endpoint]:
    """The listeners to open, without those of a controller.

    Raises:
        ConfigError: an entry cannot be read, a name stands twice (but for one port of an IPv4 and
            of an IPv6 address), none is left, or one is not plain: a port that is taken for a safe
            one must not be opened.
    """
    skipped = _controllers(config)
    found = [_endpoint("listeners", text) for text in config.listeners]
    opened = [endpoint for endpoint in found if endpoint.name not in skipped]
    for endpoint in found:
        if endpoint.name in skipped:
            log.info(_NO_CONTROLLER, *endpoint)
    if not opened:
        raise ConfigError("listeners: there must be one that is not the controller's")
    for name in {endpoint.name for endpoint in opened}:
        _refuse_twice(config, [endpoint for endpoint in opened if endpoint.name == name])
    protocols = _protocols(config)
    dialects = _dialects(config)
    for endpoint in opened:
        if endpoint.name not in dialects or endpoint.name in protocols:
            _refuse_unserved(endpoint.name, protocols)
    return opened


def dialect_of(config: BrokerConfig, listener: str) -> str:
    """What the clients of a listener speak.

    Raises:
        ConfigError: the map cannot be read.
    """
    return _dialects(config).get(listener, KAFKA)


def _dialects(config: BrokerConfig) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in config.listener_dialect_map:
        name, _, dialect = (part.strip() for part in text.partition(":"))
        if not name or dialect not in _DIALECTS:
            raise ConfigError(
                f"listener.dialect.map={text}: it must look like NAME:{KAFKA_07}, with one of "
                f"{', '.join(_DIALECTS)}"
            )
        if found.setdefault(name.upper(), dialect) != dialect:
            raise ConfigError(f"listener.dialect.map={text}: {name} stands twice")
    return found


def advertised(config: BrokerConfig, bound: list[Endpoint]) -> dict[str, Endpoint]:
    """What clients of each listener are told to connect to, by listener name.

    `bound` is what was opened, with its real ports; of two of one name the first is told. A
    listener on every address is advertised as this machine's loopback address: one that others
    reach must be told by advertised.listeners.
    What that says of a controller's listener is passed over, as the listener is.

    Raises:
        ConfigError: an entry cannot be read, has no host to connect to, or names no listener.
    """
    skipped = _controllers(config)
    told: dict[str, Endpoint] = {}
    for endpoint in bound:
        everywhere = endpoint.host in {"", "0.0.0.0", "::"}  # noqa: S104 - read, not bound
        told.setdefault(
            endpoint.name, endpoint._replace(host="localhost") if everywhere else endpoint
        )
    for text in config.advertised_listeners:
        endpoint = _endpoint("advertised.listeners", text)
        if endpoint.name in skipped and endpoint.name not in told:
            continue
        if endpoint.name not in told:
            raise ConfigError(f"advertised.listeners={text}: there is no listener {endpoint.name}")
        if not endpoint.host:
            raise ConfigError(f"advertised.listeners={text}: it must have a host")
        if endpoint.host == "0.0.0.0":  # noqa: S104 - read, not bound
            raise ConfigError(
                f"advertised.listeners={text}: it must be an address that clients can connect to"
            )
        told[endpoint.name] = (
            endpoint if endpoint.port else endpoint._replace(port=told[endpoint.name].port)
        )
    return told


def _refuse_twice(config: BrokerConfig, named: list[Endpoint]) -> None:
    """Source: KIP-797, for machines that have both kinds of address."""
    kinds = {_ip_version(endpoint.host) for endpoint in named}
    if len(named) > 1 and not (
        len(named) == 2 and kinds == {4, 6} and named[0].port == named[1].port
    ):
        raise ConfigError(
            f"listeners={','.join(config.listeners)}: each name may stand once, or twice where one "
            "is an IPv4 and the other an IPv6 address with the same port"
        )


def _ip_version(host: str) -> int:
    """4 or 6 for an address, 0 for a name."""
    if ":" in host:
        return 6
    return 4 if host.count(".") == 3 and host.replace(".", "").isdecimal() else 0


def _controllers(config: BrokerConfig) -> set[str]:
    return {name.upper() for name in config.controller_listener_names}


def _protocols(config: BrokerConfig) -> dict[str, str]:
    """The security protocol of each listener name that has one."""
    found: dict[str, str] = {}
    for text in config.listener_security_protocol_map:
        name, _, protocol = (part.strip().upper() for part in text.partition(":"))
        if not name or protocol not in _PROTOCOLS:
            raise ConfigError(
                f"listener.security.protocol.map={text}: it must look like NAME:{_PLAIN}, with one "
                f"of {', '.join(_PROTOCOLS)}"
            )
        if found.setdefault(name, protocol) != protocol:
            raise ConfigError(f"listener.security.protocol.map={text}: {name} stands twice")
    return found


def _refuse_unserved(name: str, protocols: dict[str, str]) -> None:
    protocol = protocols.get(name)
    if protocol is None:
        raise ConfigError(
            f"listeners={name}://…: listener.security.protocol.map does not say what {name} is; "
            f"add {name}:{_PLAIN}"
        )
    if protocol != _PLAIN:
        is_what = "" if name == protocol else f"{name} is {protocol}: "
        raise ConfigError(
            f"listeners={name}://…: {is_what}TLS and SASL are not served yet, only {_PLAIN} is"
        )


def _endpoint(name: str, text: str) -> Endpoint:
    protocol, separator, address = text.partition("://")
    host, colon, port = address.rpartition(":")
    if not separator or not colon or not port.isdecimal() or int(port) > 65535:
        raise ConfigError(f"{name}={text}: it must look like {_PLAIN}://host:port")
    return Endpoint(protocol.strip().upper(), host.strip("[]"), int(port))
