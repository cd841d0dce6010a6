"""SimSession: a broker's session with the simulated ZooKeeper: it outlives its process, and may end early.

As with the real one, the server counts a session that is silent for too long for gone, and its client
learns of that when it reaches the server again.
"""

from collections.abc import Callable
from typing import TypeVar

from barnabas.errors import RegistryUnavailable
from barnabas.runtime.registries.call_thread import outcome_of
from sim.world.entropy import SeededEntropy
from sim.world.process import Process
from sim.world.zookeeper import SimulatedSession, SimulatedZooKeeper

Callback = Callable[[], None]
Made = TypeVar("Made")

SESSION_SECONDS = 6.0
_SLOWEST_NEWS = 0.05
_LONGEST_CALL = SESSION_SECONDS / 3
"""How long a call waits where the server is not reached, as in `ZooKeeperRegistry`."""


class SimSession(SimulatedSession):
    """One life of a broker."""

    session_seconds = SESSION_SECONDS

    def __init__(
        self, keeper: SimulatedZooKeeper, process: Process, entropy: SeededEntropy
    ) -> None:
        super().__init__(keeper, self._send)
        keeper.sessions.append(self)
        self._process = process
        self._entropy = entropy
        self._last_news = 0.0
        self._last_call = 0.0
        self._cut_until = 0.0
        self._has_expired = False
        process.on_death[self] = self._die

    def cut_off(self, seconds: float) -> None:
        """Have no connection for so long."""
        loop = self._process.loop
        until = self._cut_until = max(self._cut_until, loop.now() + seconds)
        self.reachable = False
        silent, number = self._entropy.between(0.7, 1.0) * SESSION_SECONDS, self.number
        if seconds > silent:
            loop.after(silent, lambda: self._end_at_server(number))
        loop.after(until - loop.now(), self._come_back)

    def wait_until_gone(self, path: str, seconds: float) -> bool:
        """Wait: a node of a process that is dead goes meanwhile."""
        del seconds
        for one in self.keeper.sessions:
            if isinstance(one, SimSession) and not one.lives and one.is_mine_at(path):
                one.forget()
        return self.get(path) is None

    @property
    def lives(self) -> bool:
        """Whether its process does."""
        return self._process.alive

    def is_mine_at(self, path: str) -> bool:
        """Whether a node is this session's, at the server."""
        return self.keeper.owners.get(path) == self.number

    def forget(self) -> None:
        """The server counts this session of a dead process for gone."""
        if self in self.keeper.sessions:
            self.keeper.sessions.remove(self)
            self.keeper.end(self.number)

    def later(self, work: Callable[[], Made], on_done: Callable[[Made | Exception], None]) -> None:
        """Do `work` some time later, after what was asked before; an answer gets lost with the connection."""
        now, slowest = self._process.loop.now(), _SLOWEST_NEWS if self.reachable else _LONGEST_CALL
        begin = max(now, self._last_call) + self._entropy.between(0.0001, slowest)
        end = self._last_call = begin + self._entropy.between(0.0001, _SLOWEST_NEWS)

        def do() -> None:
            outcome = outcome_of(work)
            self._process.after(end - begin, lambda: answer(outcome))

        def answer(outcome: Made | Exception) -> None:
            lost = RegistryUnavailable("the answer is lost")
            on_done(outcome if self.reachable else lost)

        self._process.after(begin - now, do)

    def hear(self, path: str) -> None:
        """Have those called who watch a node, if anybody can reach them."""
        if self.reachable:
            super().hear(path)

    def close(self) -> None:
        """End in order."""
        super().close()
        self._process.on_death.pop(self, None)
        if self in self.keeper.sessions:
            self.keeper.sessions.remove(self)

    def _send(self, callback: Callback) -> None:
        """Notifications arrive in their order, some time later."""
        now = self._process.loop.now()
        arrival = max(now + self._entropy.between(0.0002, _SLOWEST_NEWS), self._last_news)
        self._last_news = arrival
        self._process.after(arrival - now, callback)

    def _die(self) -> None:
        self.closed = True
        seconds = self._entropy.between(0.3, 1.0) * SESSION_SECONDS
        self._process.loop.after(seconds, self.forget)

    def _end_at_server(self, number: int) -> None:
        if self.number == number and not self.reachable and not self.closed:
            self._has_expired = True
            self.keeper.end(number)

    def _come_back(self) -> None:
        """Reach the server again; what changed meanwhile is reported as if it were new."""
        if self.closed or self.reachable or self._process.loop.now() < self._cut_until:
            return
        self.reachable = True
        if self._has_expired:
            self._has_expired = False
            self.expire()
        else:
            self.tell_all()
