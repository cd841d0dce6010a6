"""Process: a part of the simulated world that dies at once: its timers, calls and tasks with it."""

from collections.abc import Callable, Coroutine

from sim.world.loop import SimLoop, SimTimer
from sim.world.promise import Awaited, Promise

_Callback = Callable[[], None]


class Killed(BaseException):
    """The process that runs is dead. Nobody may catch this but `Process.run`."""


class Process:
    """`ports.Timers`, as long as it lives. `on_death`: what is called then, by whose it is."""

    def __init__(self, loop: SimLoop, name: str, host: str = "") -> None:
        """`host`: the machine, if others may be cut off from it; its name by default."""
        self.loop = loop
        self.name = name
        self.host = host or name
        self.alive = True
        self.stalled_until = 0.0
        """It does nothing before, as if it had got SIGSTOP; what was due comes then, in its order."""
        self.on_death: dict[object, _Callback] = {}
        self._tasks: list[Coroutine[Awaited, None, None]] = []

    def after(self, seconds: float, callback: _Callback) -> SimTimer:
        """Call once, `seconds` from now, if it lives then."""
        return self.loop.after(seconds, lambda: self.run(callback))

    def soon(self, callback: _Callback) -> None:
        """Call once, after the callbacks of the present event."""
        self.after(0.0, callback)

    def run(self, callback: _Callback) -> None:
        """Do a step of this process now. If it is dead, or dies of it, that is all."""
        if not self.alive:
            return
        stall = self.stalled_until - self.loop.now()
        if stall > 0:
            self.loop.after(stall, lambda: self.run(callback))
            return
        try:
            callback()
        except Killed:
            if self.alive:
                raise

    def die(self) -> None:
        """Be gone from now on; what it is doing ends with `Killed` where it next touches the world."""
        if not self.alive:
            return
        self.alive = False
        callbacks, self.on_death = self.on_death, {}
        for callback in callbacks.values():
            callback()

    def check(self) -> None:
        """Raise `Killed` if it is dead: for all that it touches."""
        if not self.alive:
            raise Killed(self.name)

    # --- Tasks --------------------------------------------------------------------------------

    def begin(self, task: Coroutine[Awaited, None, None]) -> None:
        """Run a coroutine that awaits nothing but promises; it begins soon."""
        self._tasks.append(task)
        self.soon(lambda: self._step(task))

    def sleep(self, seconds: float) -> Promise[None]:
        """For a task: nothing, for so long."""
        promise: Promise[None] = Promise()
        self.after(seconds, lambda: promise.keep(None))
        return promise

    def _step(self, task: Coroutine[Awaited, None, None]) -> None:
        try:
            awaited = task.send(None)
        except StopIteration:
            return
        awaited.when_settled(lambda: self.soon(lambda: self._step(task)))
