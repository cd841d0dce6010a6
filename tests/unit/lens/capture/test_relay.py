"""Doors for brokers: one for each, whatever it is called."""

from collections.abc import Callable
from struct import pack

from barnabas.errors import ConnectionFailed
from barnabas.lens.capture.relay import Relay, RelayOptions
from barnabas.lens.languages.kafka import KafkaLens
from barnabas.ports import Channel, Listener
from barnabas.runtime.clock import SystemClock
from tests.unit.runtime.scripted_channel import ScriptedChannel

METADATA = pack(">ihhihi", 14, 3, 0, 7, -1, 0)


class Door:
    def __init__(self, host: str, port: int) -> None:
        self.address = (host, port)
        self.closed = False

    def close(self) -> None:
        self.closed = True


class Ports:
    """A network that opens `free` ports and then has none, and one broker."""

    def __init__(self, free: int) -> None:
        self.free = free
        self.broker = ScriptedChannel()
        self.accept: list[Callable[[Channel], None]] = []
        self.doors: list[Door] = []

    def listen(self, host: str, port: int, on_accept: Callable[[Channel], None]) -> Listener:
        if not self.free:
            raise ConnectionFailed("no port is free")
        self.free -= 1
        self.accept.append(on_accept)
        self.doors.append(Door(host, port or 5000 + len(self.doors)))
        return self.doors[-1]

    def connect(
        self,
        host: str,
        port: int,
        on_done: Callable[[Channel | Exception], None],
        *,
        buffers: tuple[int, int] = (-1, -1),
    ) -> Callable[[], None]:
        on_done(self.broker)
        return lambda: None


def relay(ports: Ports, host: str = "127.0.0.1") -> Relay:
    return Relay(ports, SystemClock(), KafkaLens(), lambda _: None, RelayOptions(host))


def test_each_broker_has_a_door_of_its_own() -> None:
    ports = Ports(3)
    made = relay(ports)
    assert made.open(("127.0.0.1", 9092), 9192) == ("127.0.0.1", 9192)
    assert made.door_of("localhost", 9092) == ("127.0.0.1", 9192)
    second = made.door_of("broker-2", 9092)
    assert second == ("127.0.0.1", 5001)
    assert made.door_of("broker-2", 9092) == second
    assert made.door_of("localhost", 9093) == ("127.0.0.1", 5002)
    made.close()
    assert all(door.closed for door in ports.doors)


def test_without_a_port_a_broker_keeps_its_address() -> None:
    made = relay(Ports(1))
    made.open(("localhost", 9092), 9192)
    assert made.door_of("broker-2", 9094) == ("broker-2", 9094)


def test_who_listens_everywhere_is_reached_here() -> None:
    assert relay(Ports(1), "0.0.0.0").open(("localhost", 9092), 9192) == ("localhost", 9192)


def test_the_last_words_of_a_broker_that_takes_nothing_more_reach_its_client() -> None:
    ports = Ports(1)
    relay(ports).open(("localhost", 9092))
    client = ScriptedChannel()
    ports.accept[0](client)
    words = pack(">ii", 4, 7)
    ports.broker.refuses = True
    ports.broker.arriving.append(words)
    client.arrive(METADATA)
    ports.broker.let_arrive()
    ports.broker.end()
    assert bytes(client.sent) == words
    assert client.closed
    assert ports.broker.closed


def test_what_a_client_sent_before_its_stream_broke_reaches_the_broker() -> None:
    ports = Ports(1)
    relay(ports).open(("localhost", 9092))
    client = ScriptedChannel()
    ports.accept[0](client)
    ports.broker.room = 3
    client.arrive(METADATA)
    client.break_off()
    ports.broker.arrive(pack(">ii", 4, 7))
    ports.broker.drain()
    assert bytes(ports.broker.sent) == METADATA
    assert ports.broker.closed
