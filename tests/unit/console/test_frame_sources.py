"""A proxy of the console. The pipe to a broker is tried in tests/unit/broker/server."""

import os
from multiprocessing import Pipe

import pytest

from barnabas.console.frame_sources import PipeFrames, ProxyFrames
from barnabas.errors import ConnectionFailed
from barnabas.lens.watching.frame_watch import Selection
from barnabas.protocol.api_versions import ApiVersionsRequest, ApiVersionsResponse
from barnabas.testing import EmbeddedBroker
from tests.unit.broker.raw_client import RawClient

ASKED = ApiVersionsRequest(client_software_name="dog", client_software_version="1.0")


def test_clients_of_a_proxy(console_broker: EmbeddedBroker) -> None:
    frames = ProxyFrames(("localhost", console_broker.port), 0)
    host, _, port = frames.place.rpartition(":")
    assert host == "127.0.0.1"
    try:
        with RawClient(int(port)) as client:
            client.ask(ASKED, 3, ApiVersionsResponse)
            (found,) = frames.connections()
            assert (found.client_id, found.software) == ("raw", "dog 1.0")
            frames.look(Selection(found.number), 0)
            client.ask(ASKED, 3, ApiVersionsResponse)
            (exchange,) = frames.look(Selection(found.number), 0)
            assert exchange.connection == found
            assert frames.exchange(exchange.number) == exchange
        with pytest.raises(ConnectionFailed):
            ProxyFrames(("localhost", console_broker.port), int(port))
    finally:
        frames.close()
    with pytest.raises(OSError, match="the proxy has ended"):
        frames.connections()


def test_a_broker_that_has_ended() -> None:
    ours, theirs = Pipe()
    frames = PipeFrames(os.dup(theirs.fileno()))
    theirs.close()
    ours.close()
    with pytest.raises(OSError, match="Broken pipe"):
        frames.connections()
    frames.close()
