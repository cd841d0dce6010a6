"""SimNetwork: the Network port in memory: who listens where, and connecting, which takes time."""

from collections.abc import Callable

from barnabas.errors import ConnectionFailed, ConnectionRefused
from barnabas.ports import Channel
from sim.world.channel import Link, SimChannel
from sim.world.entropy import SeededEntropy
from sim.world.loop import SimTimer
from sim.world.process import Process

_FIRST_FREE_PORT = 40_000
_CONNECT_SECONDS = 4.0
"""How long a host that cannot be reached is tried."""


class SimListener:
    """`ports.Listener`."""

    def __init__(
        self, net: "Net", process: Process, port: int, on_accept: Callable[[Channel], None]
    ) -> None:
        self._net = net
        self.process = process
        self.address = ("127.0.0.1", port)
        self.on_accept = on_accept

    def close(self) -> None:
        """Stop accepting."""
        if self._net.listeners.get(self.address[1]) is self:
            del self._net.listeners[self.address[1]]


class Net:
    """The cables between all processes. `links` are those in use, in the order of their making."""

    def __init__(self, entropy: SeededEntropy) -> None:
        self.entropy = entropy
        self.listeners: dict[int, SimListener] = {}
        self.links: dict[int, Link] = {}
        self.cuts: dict[tuple[str, str], float] = {}
        """From a host to another one: nothing arrives before that time."""
        self._made = 0

    def held(self, one: Process, other: Process) -> float:
        """Seconds until a connection between these can be made."""
        now = one.loop.now()
        ways = ((one.host, other.host), (other.host, one.host))
        return max(self.cuts.get(way, 0.0) - now for way in ways)

    def join(self, client: Process, listener: SimListener) -> SimChannel:
        """Connect two processes; gives the client's end."""
        self._made += 1
        number = self._made
        link = Link(self.entropy, lambda: self.links.pop(number, None), self.cuts)
        self.links[number] = link
        near = SimChannel(client, link, f"127.0.0.1:{listener.address[1]}")
        far = SimChannel(listener.process, link, f"127.0.0.1:{_FIRST_FREE_PORT + number}")
        link.ends = (near, far)
        near.other, far.other = far, near
        listener.process.run(lambda: listener.on_accept(far))
        return near


class SimNetwork:
    """`ports.Network` for one process."""

    def __init__(self, net: Net, process: Process) -> None:
        self._net = net
        self._process = process

    def listen(self, host: str, port: int, on_accept: Callable[[Channel], None]) -> SimListener:
        """Open a port."""
        del host
        there = self._net.listeners.get(port)
        if there is not None and there.process.alive:
            raise ConnectionFailed(f"port {port} is taken")
        listener = SimListener(self._net, self._process, port, on_accept)
        self._net.listeners[port] = listener
        return listener

    def connect(
        self,
        host: str,
        port: int,
        on_done: Callable[[Channel | Exception], None],
        *,
        buffers: tuple[int, int] = (-1, -1),
    ) -> Callable[[], None]:
        """Begin to connect; returns a function that gives up."""
        del host, buffers
        process, timers = self._process, list[SimTimer]()

        def arrive(patience: float) -> None:
            listener = self._net.listeners.get(port)
            if listener is None or not listener.process.alive:
                on_done(ConnectionRefused(f"nobody listens on {port}"))
                return
            held = self._net.held(process, listener.process)
            if held <= 0:
                on_done(self._net.join(process, listener))
            elif patience <= 0:
                on_done(ConnectionFailed(f"port {port} does not answer"))
            else:
                wait = min(held, patience)
                timers.append(process.after(wait, lambda: arrive(patience - wait)))

        seconds = self._net.entropy.between(0.0002, 0.01)
        timers.append(process.after(seconds, lambda: arrive(_CONNECT_SECONDS)))

        def give_up() -> None:
            for timer in timers:
                timer.cancel()

        return give_up
