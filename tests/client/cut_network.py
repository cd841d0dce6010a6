"""A network whose connections break by chance: before a request leaves, amid it, or as its answer comes."""

from collections.abc import Callable, Sequence
from random import Random

from barnabas.errors import ConnectionFailed
from barnabas.ports import Channel, File, Listener, Network
from barnabas.types import Buffer

_SURELY = 50


class CutNetwork:
    """`ports.Network` over another one; each send and each receive breaks with `probability`.

    Every fiftieth of them breaks for certain.
    """

    def __init__(self, network: Network, chance: Random, probability: float) -> None:
        self._network = network
        self._chance = chance
        self._probability = probability
        self.cuts = 0
        self._moves = 0

    def cut(self) -> bool:
        """Whether a connection breaks now."""
        self._moves += 1
        broken = self._chance.random() < self._probability or self._moves % _SURELY == 0
        self.cuts += broken
        return broken

    def listen(self, host: str, port: int, on_accept: Callable[[Channel], None]) -> Listener:
        """As the network below."""
        return self._network.listen(host, port, on_accept)

    def connect(
        self,
        host: str,
        port: int,
        on_done: Callable[[Channel | Exception], None],
        *,
        buffers: tuple[int, int] = (-1, -1),
    ) -> Callable[[], None]:
        """As the network below."""

        def done(made: Channel | Exception) -> None:
            on_done(made if isinstance(made, Exception) else _CutChannel(self, made))

        return self._network.connect(host, port, done, buffers=buffers)


class _CutChannel:
    """`ports.Channel` over another one."""

    def __init__(self, network: CutNetwork, channel: Channel) -> None:
        self._network = network
        self._channel = channel
        self.on_readable = channel.on_readable
        self.on_writable = channel.on_writable
        self.end_sending = channel.end_sending
        self.close = channel.close

    @property
    def peer(self) -> str:
        """As the channel below."""
        return self._channel.peer

    def fileno(self) -> int:
        """None: what is sent goes this way."""
        return -1

    def receive_into(self, target: memoryview) -> int:
        """What was answered is lost where it breaks, not what was done."""
        count = self._channel.receive_into(target)
        if count > 0 and self._network.cut():
            raise ConnectionFailed("cut before the answer")
        return count

    def send(self, buffers: Sequence[Buffer], *, more: bool = False) -> int:
        """Nothing of it leaves where it breaks, or only its beginning."""
        if self._network.cut():
            self._channel.send([memoryview(buffers[0])[:3]])
            raise ConnectionFailed("cut amid the request")
        return self._channel.send(buffers, more=more)

    def send_one(self, data: Buffer) -> int:
        """As `send`, of one buffer."""
        return self.send([data])

    def send_file(self, file: File, position: int, count: int) -> int:
        """As the channel below."""
        return self._channel.send_file(file, position, count)
