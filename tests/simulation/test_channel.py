import pytest

from barnabas.errors import ConnectionFailed
from barnabas.ports import Channel
from sim.world.channel import SimChannel
from sim.world.entropy import SeededEntropy
from sim.world.loop import SimLoop
from sim.world.network import Net, SimNetwork
from sim.world.process import Process


class Pair:
    """A connection between two processes; `got` is what the far side received."""

    def __init__(self) -> None:
        self.loop = SimLoop()
        self.net = Net(SeededEntropy("a"))
        self.near_process, self.far_process = (Process(self.loop, name) for name in ("a", "b"))
        self.got = bytearray()
        self.ended = ""
        self.most_at_once = 0
        connected: list[Channel | Exception] = []
        SimNetwork(self.net, self.far_process).listen("", 9092, self._accept)
        SimNetwork(self.net, self.near_process).connect("", 9092, connected.append)
        self.run(1)
        (near,) = connected
        assert isinstance(near, SimChannel)
        self.near = near

    def run(self, seconds: float) -> None:
        self.loop.run_until(self.loop.now() + seconds)

    def _accept(self, channel: Channel) -> None:
        def receive() -> None:
            target = bytearray(100)
            try:
                count = channel.receive_into(memoryview(target))
            except ConnectionFailed:
                count, self.ended = 0, "broken"
            if count == 0:
                self.ended = self.ended or "closed"
                channel.on_readable(None)
            self.most_at_once = max(self.most_at_once, count)
            self.got += target[: max(count, 0)]

        channel.on_readable(receive)

    def send_all(self, data: bytes) -> int:
        """Send it in as many calls as it takes; gives their number."""
        calls, left = 0, data
        while left:
            calls += 1
            left = left[self.near.send([left]) :]
        return calls


def test_bytes_come_in_order_in_pieces_and_then_the_end() -> None:
    pair = Pair()
    data = bytes(range(256)) * 20
    calls = sum(pair.send_all(data[at : at + 64]) for at in range(0, len(data), 64))
    assert calls > len(data) // 64
    pair.near.close()
    pair.run(2)
    assert bytes(pair.got) == data
    assert pair.ended == "closed"


def test_a_full_window_takes_no_more_until_the_other_side_reads() -> None:
    pair = Pair()
    room: list[bool] = []
    while pair.near.send([bytes(10_000)]):
        pass
    assert not pair.got

    def on_room() -> None:
        room.append(True)
        pair.near.on_writable(None)

    pair.near.on_writable(on_room)
    pair.run(2)
    assert room == [True]


def test_what_is_on_its_way_is_lost_with_the_link() -> None:
    pair = Pair()
    pair.send_all(b"lost")
    (link,) = pair.net.links.values()
    link.cut()
    pair.run(2)
    assert (bytes(pair.got), pair.ended) == (b"", "broken")
    with pytest.raises(ConnectionFailed):
        pair.near.send([b"more"])
    assert not pair.net.links


def test_a_clogged_link_gives_nothing_for_a_while() -> None:
    pair = Pair()
    (link,) = pair.net.links.values()
    link.clogged_until = pair.loop.now() + 10
    pair.send_all(b"later")
    pair.run(9)
    assert not pair.got
    pair.run(2)
    assert bytes(pair.got) == b"later"


def test_the_death_of_a_process_ends_its_connections_and_its_calls() -> None:
    pair = Pair()
    called: list[bool] = []
    pair.near_process.after(1.0, lambda: called.append(True))
    pair.near_process.die()
    pair.run(2)
    assert pair.ended == "closed"
    assert not called
    refused: list[Channel | Exception] = []
    pair.far_process.die()
    SimNetwork(pair.net, Process(pair.loop, "c")).connect("", 9092, refused.append)
    pair.run(1)
    assert isinstance(refused[0], ConnectionFailed)
