"""The connections of a broker, and the frames of those that are watched."""

from collections.abc import Iterator

import pytest

from barnabas import Consumer, Producer
from barnabas.broker.server.watched_clients import WatchedClients
from barnabas.lens.watching.exchanges import KEPT_BYTES, WatchedExchange
from barnabas.lens.watching.frame_watch import Selection
from barnabas.protocol.api_versions import ApiVersionsRequest, ApiVersionsResponse
from barnabas.testing import EmbeddedBroker
from tests.unit.broker.raw_client import RawClient

ASKED = ApiVersionsRequest(client_software_name="dog", client_software_version="1.0")


class Watched:
    """Asks on the broker's loop."""

    def __init__(self, broker: EmbeddedBroker) -> None:
        assert broker._node is not None
        self.node = broker._node.node
        server = self.node._server
        self.clients = self.node.call(lambda: WatchedClients(server.broker, server.connections))

    def look(self, selection: Selection, after: int = 0) -> list[WatchedExchange]:
        return self.node.call(lambda: self.clients.look(selection, after))

    def observed(self) -> int:
        clients = self.node._server.connections.clients
        return self.node.call(
            lambda: sum(each.connection.observer is not None for each in clients())
        )


@pytest.fixture
def broker() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker() as started:
        yield started


def test_the_list_of_connections(broker: EmbeddedBroker) -> None:
    watched = Watched(broker)
    with RawClient(broker.port) as first, RawClient(broker.port):
        first.ask(ASKED, 3, ApiVersionsResponse)
        found = watched.node.call(watched.clients.connections)
        assert found[0] == (1, first.name, "kafka", "raw", "dog 1.0", 18, 3)
        assert watched.observed() == 0


def test_only_what_somebody_watches_is_kept(broker: EmbeddedBroker) -> None:
    watched = Watched(broker)
    with RawClient(broker.port) as first, RawClient(broker.port) as second:
        for client in (first, second):
            client.ask(ASKED, 3, ApiVersionsResponse)
        assert watched.look(Selection(1)) == []
        assert watched.observed() == 1
        for client in (first, second):
            client.ask(ASKED, 3, ApiVersionsResponse)
        (found,) = watched.look(Selection(1))
        assert found.connection.peer == first.name
        assert found.correlation_id == 2
        assert found.took_ns is not None
        watched.look(Selection(client_id="raw"))
        assert watched.observed() == 2
        assert watched.node.call(lambda: watched.clients.exchange(found.number)) == found


def test_nobody_looks_any_more() -> None:
    with EmbeddedBroker() as broker:
        watched = Watched(broker)
        with RawClient(broker.port) as client:
            client.ask(ASKED, 3, ApiVersionsResponse)
            watched.look(Selection(1))
            assert watched.observed() == 1
            broker.clock.advance(11)
            assert watched.observed() == 0


def test_requests_that_repeat_and_records_in_files(broker: EmbeddedBroker) -> None:
    broker.create_topic("t")
    watched, value = Watched(broker), b"v" * 900_000
    settings = {"bootstrap.servers": broker.bootstrap_servers}
    with (
        Producer({**settings, "client.id": "rex", "linger.ms": 0}) as producer,
        Consumer({**settings, "client.id": "tom"}) as consumer,
    ):
        producer.send("t", b"first").result()
        producer.send("t", b"again").result()
        watched.look(Selection(client_id="rex"))
        producer.send("t", b"watched").result()
        producer.send("t", value).result()
        usual, large = watched.look(Selection(client_id="rex"))
        assert b"watched" in usual.request
        assert (len(large.request), large.request_size > len(value)) == (KEPT_BYTES, True)
        consumer.assign([("t", 0)])
        consumer.seek_to_beginning()
        consumer.poll(10)
        watched.look(Selection(client_id="tom"))
        consumer.seek_to_beginning()
        while not consumer.poll(1):
            pass
        sizes = [each.response_size for each in watched.look(Selection(client_id="tom"))]
        kept = [len(each.response) for each in watched.look(Selection(client_id="tom"))]
    assert max(sizes) > len(value)
    assert max(kept) == KEPT_BYTES
