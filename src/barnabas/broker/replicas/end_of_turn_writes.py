"""Turn: the end of a turn of the loop, where queued records are written together."""

from collections.abc import Callable

from barnabas.broker.replicas.replica_manager import ReplicaManager
from barnabas.ports import Timers


class Turn:
    """For replies that wait for nothing but a write, and whose records are no views of a frame."""

    __slots__ = ("_replicas", "_timers", "_waiting")

    def __init__(self, replicas: ReplicaManager, timers: Timers) -> None:
        self._replicas = replicas
        self._timers = timers
        self._waiting: list[Callable[[], None]] = []

    def when_over(self, callback: Callable[[], None]) -> None:
        """Call when the events of this turn are over and all that was queued is written."""
        if not self._waiting:
            self._timers.soon(self._end)
        self._waiting.append(callback)

    def _end(self) -> None:
        waiting, self._waiting = self._waiting, []
        try:
            self._replicas.write()
        except Exception:
            # Each callback finds that nothing is written, and reports it: nobody waits for ever.
            _call_all(waiting)
            raise
        _call_all(waiting)


def _call_all(callbacks: list[Callable[[], None]]) -> None:
    for callback in callbacks:
        callback()
