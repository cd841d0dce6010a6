"""BrokerView: the brokers that clients can connect to: this one, or all live ones of its cluster."""

from collections.abc import Sequence
from typing import NamedTuple

from barnabas.broker.broker import Broker
from barnabas.broker.purgatory.pending import Pending


class BrokerView(NamedTuple):
    """A broker, and where clients of one listener reach it."""

    node_id: int
    host: str
    port: int
    rack: str | None = None


def brokers(broker: Broker, listener: str) -> Sequence[BrokerView]:
    """The brokers that clients of a listener can reach, by number.

    None of a member that its controller has not informed yet, as in Kafka: a client that got this broker
    without a controller would take that for the cluster. `until_known` comes first.
    """
    member = broker.member
    if member is not None:
        return [
            BrokerView(node_id, endpoint.host, endpoint.port, one.rack)
            for node_id, one in sorted(member.image.brokers.items())
            if (endpoint := one.endpoint(listener)) is not None
        ]
    address, rack = broker.advertised[listener], broker.config.broker_rack
    return [BrokerView(broker.config.node_id, address.host, address.port, rack)]


def until_known(broker: Broker) -> Pending | None:
    """Is done when a member of a cluster knows its brokers, or within seconds; None: they are known."""
    return broker.member.first_metadata.brokers.wait() if broker.member is not None else None


def until_topics_known(broker: Broker) -> Pending | None:
    """The same of topics: one that is not known may be there."""
    return broker.member.first_metadata.topics.wait() if broker.member is not None else None


def controller(broker: Broker) -> int:
    """The broker that makes and deletes topics; -1 where a member knows none."""
    member = broker.member
    return broker.config.node_id if member is None else member.image.controller
