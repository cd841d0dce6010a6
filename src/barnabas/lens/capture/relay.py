"""Relay: stands between clients and brokers, forwards their bytes, and explains them.

Each broker in a response gets a port of the relay (a door), and clients get the port's address.
Explaining follows forwarding, so that it delays nothing.
"""

import logging
from collections.abc import Callable
from functools import partial
from typing import NamedTuple, Protocol

from barnabas.errors import ConnectionFailed
from barnabas.lens.capture.addresses import Address, AddressChanger
from barnabas.lens.capture.conversation import Conversation, SentFrame
from barnabas.lens.capture.pipe import Pipe
from barnabas.lens.capture.reading import Arrival
from barnabas.lens.capture.recording import RecordedConnection, Recording
from barnabas.lens.languages.language import Language
from barnabas.ports import Channel, Clock, Listener, Network

log = logging.getLogger(__name__)

_EVERYWHERE = frozenset({"", "0.0.0.0", "::"})  # noqa: S104 - to know it, not to listen there
_HERE = frozenset({"localhost", "127.0.0.1", "::1"})


class LinkObserver(Protocol):
    """Sees the bytes of one connection instead of `on_frame`, which gets each frame explained."""

    def received(self, data: bytes, now: int, *, from_client: bool) -> None:
        """Bytes of one direction passed; `now` is in nanoseconds."""
        ...

    def ended(self) -> None:
        """The connection is gone."""
        ...


class RelayOptions(NamedTuple):
    """`keep_addresses`: do not replace addresses; clients may bypass the relay.

    `observe`: makes an observer of a connection from its number and client.
    """

    host: str = "127.0.0.1"
    recording: Recording | None = None
    keep_addresses: bool = False
    observe: Callable[[int, str], LinkObserver] | None = None


class Relay:
    """All connections through one host. `on_frame` receives each frame."""

    def __init__(
        self,
        network: Network,
        clock: Clock,
        language: Language,
        on_frame: Callable[[Arrival], None],
        options: RelayOptions,
    ) -> None:
        self._network = network
        self.clock = clock
        self.language = language
        self.on_frame = on_frame
        self._host = options.host
        self.recording = options.recording
        self.keep_addresses = options.keep_addresses or not language.returns_addresses
        self.observe = options.observe
        self._doors: dict[Address, Listener] = {}
        self._links: set[_Link] = set()
        self._count = 0

    def open(self, target: Address, port: int = 0) -> Address:
        """Open a door to a broker; return its address.

        Raises:
            ConnectionFailed: the port is not available.
        """
        listener = self._network.listen(self._host, port, partial(self._accept, target))
        self._doors[_known_as(target)] = listener
        return self._public_address(listener)

    def door_of(self, host: str, port: int) -> Address:
        """Return the address of the door to a broker, opening it if necessary; on failure the broker's own."""
        target = (host, port)
        if (known := self._doors.get(_known_as(target))) is not None:
            return self._public_address(known)
        try:
            door = self.open(target)
        except ConnectionFailed as error:
            log.warning("no door", extra={"to": f"{host}:{port}", "error": str(error)})
            return target
        log.info("door", extra={"to": f"{host}:{port}", "port": door[1]})
        return door

    def close(self) -> None:
        """Close all connections and all doors."""
        for listener in self._doors.values():
            listener.close()
        for link in list(self._links):
            link.end()

    def forget(self, link: "_Link") -> None:
        """Remove a closed link."""
        self._links.discard(link)

    def _public_address(self, listener: Listener) -> Address:
        """The door's address for clients."""
        host, port = listener.address
        return ("localhost" if host in _EVERYWHERE else host), port

    def _accept(self, target: Address, client: Channel) -> None:
        self._count += 1
        link = _Link(self, client, self._count)
        self._links.add(link)
        link.cancel = self._network.connect(*target, link.connected)


class _Link:
    """One client and its broker."""

    def __init__(self, relay: Relay, client: Channel, number: int) -> None:
        self._relay = relay
        self._client = client
        self._number = number
        self._name = client.peer
        self._broker: Channel | None = None
        self._conversation = Conversation(relay.language)
        self._recorded: RecordedConnection | None = None
        self._observer: LinkObserver | None = None
        self.cancel: Callable[[], None] | None = None
        self._open_directions = 2

    def connected(self, broker: Channel | Exception) -> None:
        """The connection to the broker succeeded or failed."""
        self.cancel = None
        if isinstance(broker, Exception):
            log.error("no broker", extra={"client": self._name, "error": str(broker)})
            self.end()
            return
        self._broker = broker
        relay = self._relay
        if relay.recording is not None:
            now = relay.clock.time_ns()
            self._recorded = relay.recording.connection(self._name, broker.peer, now)
        if relay.observe is not None:
            self._observer = relay.observe(self._number, self._name)
        ask, answer = _as_it_is, _as_it_is
        if not relay.keep_addresses:
            changer = AddressChanger(relay.door_of)
            ask, answer = changer.from_client, changer.from_broker
        requests = partial(self._received, from_client=True)
        responses = partial(self._received, from_client=False)
        Pipe(self._client, broker, ask, requests, self._direction_ended)
        Pipe(broker, self._client, answer, responses, self._direction_ended)

    def _direction_ended(self, broke: bool) -> None:  # noqa: FBT001 - a callback's
        """One side finished sending, or its receiver is gone; the other direction may continue."""
        self._open_directions -= 1
        if broke or not self._open_directions:
            self.end()

    def _received(self, data: bytes, *, from_client: bool) -> None:
        now = self._relay.clock.time_ns()
        if self._recorded is not None:
            self._recorded.record(data, now, from_client=from_client)
        if self._observer is not None:
            self._observer.received(data, now, from_client=from_client)
            return
        conversation = self._conversation
        split = conversation.from_client if from_client else conversation.from_broker
        self._report(split(data), now)

    def _report(self, frames: list[SentFrame], now: int) -> None:
        for each in frames:
            self._relay.on_frame(Arrival(each, now, self._number, self._name))

    def end(self) -> None:
        """Close both sides, and report unfinished frames; a second call does nothing."""
        if self.cancel is not None:
            self.cancel()
            self.cancel = None
        self._client.close()
        if self._broker is not None:
            broker, self._broker = self._broker, None
            broker.close()
            now = self._relay.clock.time_ns()
            if self._recorded is not None:
                self._recorded.ended(now)
            if self._observer is not None:
                self._observer.ended()
            else:
                self._report(self._conversation.end(), now)
        self._relay.forget(self)


def _known_as(target: Address) -> Address:
    """One canonical name for this machine, which has several."""
    host, port = target
    return ("localhost" if host in _HERE else host), port


def _as_it_is(data: bytes) -> bytes:
    return data
