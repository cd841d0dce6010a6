"""Open a broker's listeners, each with the dialect of its clients."""

from collections.abc import Callable

from barnabas.broker.broker import Broker
from barnabas.broker.connections.listener_dialects import ListenerDialect, dialect_for
from barnabas.config.listeners import Endpoint, advertised, dialect_of, listeners
from barnabas.ports import Channel, Listener, Network


def open_listeners(
    broker: Broker,
    network: Network,
    accept: Callable[[Channel, str, ListenerDialect], None],
    opened: list[Listener],
) -> None:
    """Open them, and have the broker know what it advertises; each is added to `opened` at once.

    `accept` takes a channel, the name of its listener, and what is spoken there.

    Raises:
        ConfigError: properties of listeners exclude each other.
        ConnectionFailed: an address cannot be bound.
    """
    config = broker.config
    bound: list[Endpoint] = []
    for endpoint in listeners(config):

        def on_accept(
            channel: Channel,
            name: str = endpoint.name,
            dialect: str = dialect_of(config, endpoint.name),
        ) -> None:
            accept(channel, name, dialect_for(dialect, broker))

        # An IPv4 and an IPv6 address of one name share their port, also where any will do.
        ports = [one.port for one in bound if one.name == endpoint.name]
        port = ports[0] if ports else endpoint.port
        listener = network.listen(endpoint.host, port, on_accept)
        opened.append(listener)
        bound.append(endpoint._replace(port=listener.address[1]))
    broker.advertised.update(advertised(config, bound))
