"""Relay: stands between clients and brokers, passes on what they say, and has it explained.

Each broker that a response names gets a door of its own, and its clients the address of the door.
Explaining comes after passing on, so that nobody waits for it.
"""

import logging
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from barnabas.errors import ConnectionFailed
from barnabas.lens.capture.addresses import Address, AddressChanger
from barnabas.lens.capture.conversation import Conversation, Told
from barnabas.lens.capture.pipe import Pipe
from barnabas.lens.capture.reading import Heard
from barnabas.lens.capture.recording import RecordedConnection, Recording
from barnabas.lens.languages.language import Language
from barnabas.ports import Channel, Clock, Listener, Network

log = logging.getLogger(__name__)

_EVERYWHERE = frozenset({"", "0.0.0.0", "::"})  # noqa: S104 - to know it, not to listen there
_HERE = frozenset({"localhost", "127.0.0.1", "::1"})


class RelayOptions(NamedTuple):
    """`keep_addresses`: clients may go to brokers past the relay."""

    host: str = "127.0.0.1"
    recording: Recording | None = None
    keep_addresses: bool = False


class Relay:
    """All connections through one host. `on_heard` gets each frame."""

    def __init__(
        self,
        network: Network,
        clock: Clock,
        language: Language,
        on_heard: Callable[[Heard], None],
        options: RelayOptions,
    ) -> None:
        self._network = network
        self.clock = clock
        self.language = language
        self.on_heard = on_heard
        self._host = options.host
        self.recording = options.recording
        self.keep_addresses = options.keep_addresses or not language.tells_addresses
        self._doors: dict[Address, Listener] = {}
        self._links: set[_Link] = set()
        self._count = 0

    def open(self, target: Address, port: int = 0) -> Address:
        """Open a door to a broker; where it is.

        Raises:
            ConnectionFailed: the port cannot be had.
        """
        listener = self._network.listen(self._host, port, partial(self._accept, target))
        self._doors[_known_as(target)] = listener
        return self._told(listener)

    def door_of(self, host: str, port: int) -> Address:
        """The address of the door to a broker, which is opened if there is none; else its own."""
        target = (host, port)
        if (known := self._doors.get(_known_as(target))) is not None:
            return self._told(known)
        try:
            door = self.open(target)
        except ConnectionFailed as error:
            log.warning("no door", extra={"to": f"{host}:{port}", "error": str(error)})
            return target
        log.info("door", extra={"to": f"{host}:{port}", "port": door[1]})
        return door

    def close(self) -> None:
        """End all connections and close all doors."""
        for listener in self._doors.values():
            listener.close()
        for link in list(self._links):
            link.end()

    def forget(self, link: "_Link") -> None:
        """A link has ended."""
        self._links.discard(link)

    def _told(self, listener: Listener) -> Address:
        """What clients are told of a door."""
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
        self.cancel: Callable[[], None] | None = None
        self._open_directions = 2

    def connected(self, broker: Channel | Exception) -> None:
        """The broker answered the door, or did not."""
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
        ask, answer = _as_it_is, _as_it_is
        if not relay.keep_addresses:
            changer = AddressChanger(relay.door_of)
            ask, answer = changer.from_client, changer.from_broker
        heard = partial(self._heard, from_client=True)
        said = partial(self._heard, from_client=False)
        Pipe(self._client, broker, ask, heard, self._direction_ended)
        Pipe(broker, self._client, answer, said, self._direction_ended)

    def _direction_ended(self, broke: bool) -> None:  # noqa: FBT001 - a callback's
        """One side has said all that it will, or nobody hears it: the other may go on until it is so, too."""
        self._open_directions -= 1
        if broke or not self._open_directions:
            self.end()

    def _heard(self, data: bytes, *, from_client: bool) -> None:
        now = self._relay.clock.time_ns()
        if self._recorded is not None:
            self._recorded.said(data, now, from_client=from_client)
        conversation = self._conversation
        hear = conversation.from_client if from_client else conversation.from_broker
        self._tell(hear(data), now)

    def _tell(self, told: list[Told], now: int) -> None:
        for each in told:
            self._relay.on_heard(Heard(each, now, self._number, self._name))

    def end(self) -> None:
        """Close both sides, and tell what nobody finished; a second call does nothing."""
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
            self._tell(self._conversation.end(), now)
        self._relay.forget(self)


def _known_as(target: Address) -> Address:
    """One name for what brokers and users call by several: this machine."""
    host, port = target
    return ("localhost" if host in _HERE else host), port


def _as_it_is(data: bytes) -> bytes:
    return data
