"""Clients in Go and for Node copy as members of a group, in transactions, with their positions."""

from collections.abc import Callable

import pytest

from tests.interop.brokers import InteropBroker
from tests.interop.clients_of_others.test_transactions import fill, read_committed
from tests.interop.peers.go_client import go_client
from tests.interop.peers.missing import PeerMissing, give_up
from tests.interop.peers.node_client import node_client
from tests.interop.peers.program import Program

pytestmark = [pytest.mark.interop, pytest.mark.long]

COPIERS: dict[str, Callable[[], Program]] = {
    "franz-go": lambda: go_client("franz"),
    "Sarama": lambda: go_client("sarama", "4.0.0"),
    "Sarama for a broker of 0.11": lambda: go_client("sarama", "0.11.0.0"),
    "kafkajs": lambda: node_client("kafkajs"),
    "@platformatic/kafka": lambda: node_client("platformatic"),
}


@pytest.mark.parametrize("name", COPIERS)
def test_each_third_transaction_is_aborted(broker: InteropBroker, name: str) -> None:
    source, target, address = broker.new_topic(), broker.new_topic(), broker.bootstrap_servers
    values = fill(address, source, 300)
    try:
        copier = COPIERS[name]()
    except PeerMissing as missing:
        give_up(missing)
    with copier as client:
        assert client.copy(address, source, target, 300) == values
    assert read_committed(address, target, 300) == [value.encode() for value in values]
