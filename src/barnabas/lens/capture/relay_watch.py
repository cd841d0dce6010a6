"""RelayWatch: the connections of a relay, whose frames are kept while somebody watches them."""

from typing import Final

from barnabas.lens.capture.relay import Relay, RelayOptions
from barnabas.lens.languages.kafka import KafkaLens
from barnabas.lens.watching.exchanges import (
    HEAD_BYTES,
    KEPT_BYTES,
    WatchedConnection,
    WatchedExchange,
    request_head,
)
from barnabas.lens.watching.frame_starts import FrameStarts
from barnabas.lens.watching.frame_watch import FrameWatch, Selection, note_request, note_response
from barnabas.ports import Clock, Network
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.api_versions import ApiVersionsRequest

_KAFKA: Final = KafkaLens()


class RelayWatch:
    """For the thread of the relay's loop."""

    def __init__(self, network: Network, clock: Clock) -> None:
        self._clock = clock
        self._watch = FrameWatch()
        self._links: dict[int, _WatchedLink] = {}
        options = RelayOptions(observe=self._observe)
        self.relay = Relay(network, clock, _KAFKA, lambda _: None, options)

    def connections(self) -> list[WatchedConnection]:
        """The connections that are open."""
        return [link.connection for link in self._links.values()]

    def look(self, selection: Selection, after: int) -> list[WatchedExchange]:
        """Watch connections for some seconds; returns their exchanges behind a number."""
        return self._watch.look(selection, after, self._clock.time_ns())

    def exchange(self, number: int) -> WatchedExchange | None:
        """One exchange; None: it was too long ago."""
        return self._watch.exchange(number, self._clock.time_ns())

    def _observe(self, number: int, client: str) -> "_WatchedLink":
        link = self._links[number] = _WatchedLink(self, WatchedConnection(number, client))
        return link

    def watch_of(self, connection: WatchedConnection, now: int) -> FrameWatch | None:
        """Keeps the frames of a connection; None while it is not watched."""
        watch = self._watch
        return watch if watch.expire(now) and watch.wants(connection) else None

    def forget(self, connection: WatchedConnection) -> None:
        """A connection is gone."""
        del self._links[connection.number]
        self._watch.ring.closed(connection.number)


class _WatchedLink:
    """One client and its broker. A `LinkObserver`."""

    def __init__(self, owner: RelayWatch, connection: WatchedConnection) -> None:
        self.connection = connection
        self._owner = owner
        self._requests, self._responses = FrameStarts(), FrameStarts()

    def received(self, data: bytes, now: int, *, from_client: bool) -> None:
        """Bytes of one direction passed."""
        watch = self._owner.watch_of(self.connection, now)
        most = HEAD_BYTES if watch is None else KEPT_BYTES
        frames = self._requests if from_client else self._responses
        for start, size in frames.feed(data, most):
            if from_client:
                self._learn(start)
            if watch is not None:
                note = note_request if from_client else note_response
                note(watch.ring, self.connection, start, size, now)

    def ended(self) -> None:
        """The connection is gone."""
        self._owner.forget(self.connection)

    def _learn(self, start: bytes) -> None:
        """Note the client's fields of a request."""
        head = request_head(start)
        if head is None:
            return
        key, version = head.api_key, head.api_version
        known = self.connection._replace(client_id=head.client_id, api_key=key, api_version=version)
        if key == ApiKey.API_VERSIONS and not known.software:
            known = known._replace(software=_software(start))
        self.connection = known


def _software(request: bytes) -> str:
    """The software that ApiVersions names from version 3 on; the request may be cut."""
    message = _KAFKA.request(request, bare=True).message
    if not isinstance(message, ApiVersionsRequest):
        return ""
    return f"{message.client_software_name} {message.client_software_version}".strip()
