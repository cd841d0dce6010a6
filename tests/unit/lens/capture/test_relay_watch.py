"""The connections of a proxy, and the frames of those that are watched."""

from struct import pack

from barnabas.lens.capture.relay_watch import RelayWatch
from barnabas.lens.watching.exchanges import WatchedConnection
from barnabas.lens.watching.frame_watch import Selection
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.api_versions import ApiVersionsRequest
from barnabas.protocol.headers import RequestHeader, encode_request
from barnabas.runtime.clock import SystemClock
from tests.unit.lens.capture.test_relay import METADATA, Ports
from tests.unit.runtime.scripted_channel import ScriptedChannel

ASKED = ApiVersionsRequest(client_software_name="dog", client_software_version="1.0")
VERSIONS = encode_request(RequestHeader(ApiKey.API_VERSIONS, 3, 1, "rex"), ASKED).joined()
ANSWER = pack(">ii", 4, 7)


def opened() -> tuple[RelayWatch, Ports, ScriptedChannel]:
    ports = Ports(1)
    watch = RelayWatch(ports, SystemClock())
    watch.relay.open(("localhost", 9092))
    client = ScriptedChannel()
    ports.accept[0](client)
    return watch, ports, client


def test_what_is_known_of_a_connection_that_nobody_watches() -> None:
    watch, ports, client = opened()
    client.arrive(VERSIONS, METADATA[:5])
    peer = client.peer
    assert watch.connections() == [WatchedConnection(1, peer, "kafka", "rex", "dog 1.0", 18, 3)]
    client.arrive(METADATA[5:])
    ports.broker.arrive(ANSWER)
    assert watch.connections() == [WatchedConnection(1, peer, "kafka", "", "dog 1.0", 3, 0)]
    assert watch.look(Selection(1), 0) == []


def test_frames_of_a_connection_while_it_is_watched() -> None:
    watch, ports, client = opened()
    watch.look(Selection(1), 0)
    client.arrive(METADATA)
    ports.broker.arrive(ANSWER)
    (found,) = watch.look(Selection(1), 0)
    assert (found.request, found.response) == (METADATA, ANSWER)
    assert watch.exchange(found.number) == found
    assert watch.look(Selection(client_id="tom"), 0) == []
    client.arrive(VERSIONS)
    watch.relay.close()
    assert watch.connections() == []
    assert [each.took_ns for each in watch.look(Selection(1), found.number)] == [None]
