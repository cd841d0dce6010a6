"""A console at the other end of a pipe."""

import os
import threading
from multiprocessing import Pipe

from barnabas.console.frame_sources import PipeFrames
from barnabas.lens.watching.frame_watch import Selection
from barnabas.protocol.api_versions import ApiVersionsRequest, ApiVersionsResponse
from barnabas.testing import EmbeddedBroker
from tests.unit.broker.raw_client import RawClient

ASKED = ApiVersionsRequest(client_software_name="dog", client_software_version="1.0")


def test_it_answers_until_the_pipe_is_closed() -> None:
    with EmbeddedBroker() as broker, RawClient(broker.port) as client:
        assert broker._node is not None
        node = broker._node.node
        ours, theirs = Pipe()
        node.call(lambda: node.watch_frames(ours))
        (thread,) = (each for each in threading.enumerate() if each.name == "frames")
        client.ask(ASKED, 3, ApiVersionsResponse)
        with theirs:
            for name, arguments in (
                ("connections", ()),
                ("look", (Selection(1), 0)),
                ("exchange", (1,)),
            ):
                theirs.send((name, arguments))
                found = theirs.recv()
                assert (found is None) == (name == "exchange")
        thread.join(10)
        assert not thread.is_alive()
        assert ours.closed


def test_a_console_sees_the_frames() -> None:
    with EmbeddedBroker() as broker, RawClient(broker.port) as client:
        assert broker._node is not None
        node = broker._node.node
        ours, theirs = Pipe()
        node.call(lambda: node.watch_frames(ours))
        client.ask(ASKED, 3, ApiVersionsResponse)
        frames = PipeFrames(os.dup(theirs.fileno()))
        theirs.close()
        try:
            assert [each.client_id for each in frames.connections()] == ["raw"]
            frames.look(Selection(1), 0)
            client.ask(ASKED, 3, ApiVersionsResponse)
            (found,) = frames.look(Selection(1), 0)
            assert frames.exchange(found.number) == found
        finally:
            frames.close()
