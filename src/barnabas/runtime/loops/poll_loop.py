"""PollLoop: the broker's event loop: readiness, timers, calls from other threads, signals.

It calls what it was given directly: no handle, context or future for an event, which in asyncio's
loop costs as much as serving a small request does.
"""

import heapq
import logging
import socket
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from time import monotonic

from barnabas.runtime.loops.loop_signals import LoopSignals
from barnabas.runtime.loops.poller import READ, WRITE, Poller, best_poller

log = logging.getLogger(__name__)

_Callback = Callable[[], object]

_MANY_CANCELLED = 100
_TIMERS_SECONDS = 0.01
"""For how long deadlines are called in a turn: thousands may come together, as after a stop of the process."""


class LoopTimer:
    """One deadline. `when` is of the monotonic clock."""

    __slots__ = ("_loop", "callback", "when")

    def __init__(self, loop: "PollLoop", when: float, callback: _Callback) -> None:
        self._loop = loop
        self.when = when
        self.callback: _Callback | None = callback

    def cancel(self) -> None:
        """Never fire; fine if it has."""
        if self.callback is not None:
            self.callback = None
            self._loop.note_cancelled()


class PollLoop:
    """An `EventSource`. All but `call_soon_threadsafe` and `stop` belong to the running thread."""

    __slots__ = (
        "_called", "_cancelled", "_closed", "_count", "_poller", "_readers", "_signals", "_soon",
        "_stopping", "_timers", "_waker", "_woken", "_writers",
    )  # fmt: skip

    def __init__(self, poller: Poller | None = None) -> None:
        self._poller = poller or best_poller()
        self._readers: dict[int, _Callback] = {}
        self._writers: dict[int, _Callback] = {}
        self._soon: deque[_Callback] = deque()
        self._called: deque[_Callback] = deque()
        self._timers: list[tuple[float, int, LoopTimer]] = []
        self._cancelled = 0
        self._count = 0
        self._stopping = False
        self._closed = False
        self._woken, self._waker = socket.socketpair()
        self._signals = LoopSignals(self._waker.fileno())
        self._woken.settimeout(0)
        self._waker.settimeout(0)
        self.add_reader(self._woken.fileno(), self._on_woken)

    # --- Descriptors --------------------------------------------------------------------------

    def add_reader(self, fd: int, callback: _Callback, /) -> None:
        """Call whenever `fd` can be read, in place of what was called before."""
        if fd not in self._readers:
            before = WRITE if fd in self._writers else 0
            self._poller.watch(fd, before, before | READ)
        self._readers[fd] = callback

    def remove_reader(self, fd: int, /) -> bool:
        """Stop that; whether there was anything to stop."""
        if self._readers.pop(fd, None) is None:
            return False
        after = WRITE if fd in self._writers else 0
        self._poller.watch(fd, after | READ, after)
        return True

    def add_writer(self, fd: int, callback: _Callback, /) -> None:
        """Call whenever `fd` can be written, in place of what was called before."""
        if fd not in self._writers:
            before = READ if fd in self._readers else 0
            self._poller.watch(fd, before, before | WRITE)
        self._writers[fd] = callback

    def remove_writer(self, fd: int, /) -> bool:
        """Stop that; whether there was anything to stop."""
        if self._writers.pop(fd, None) is None:
            return False
        after = READ if fd in self._readers else 0
        self._poller.watch(fd, after | WRITE, after)
        return True

    # --- Calls and deadlines ------------------------------------------------------------------

    def call_soon(self, callback: _Callback, /) -> None:
        """Call once, after the callbacks of the present events."""
        self._soon.append(callback)

    def call_later(self, delay: float, callback: _Callback, /) -> LoopTimer:
        """Call once, `delay` seconds from now."""
        timer = LoopTimer(self, monotonic() + delay, callback)
        self._count += 1
        heapq.heappush(self._timers, (timer.when, self._count, timer))
        return timer

    def call_soon_threadsafe(self, callback: _Callback, /) -> None:
        """As `call_soon`, from any thread.

        Raises:
            RuntimeError: the loop is closed.
        """
        if self._closed:
            raise RuntimeError("the event loop is closed")
        self._called.append(callback)
        # A full pipe wakes as well; one that closes meanwhile has no loop left to wake.
        with suppress(OSError):
            self._waker.send(b"\0")

    @property
    def waiting_timers(self) -> int:
        """Deadlines it holds, those called off and not yet let go of among them."""
        return len(self._timers)

    def advance(self, seconds: float) -> None:
        """Have all deadlines come so much earlier: for a clock that is set forward."""
        for row in self._timers:
            row[2].when -= seconds
        self._timers = [(when - seconds, number, timer) for when, number, timer in self._timers]

    def note_cancelled(self) -> None:
        """A timer was called off; when most are, they leave the heap."""
        self._cancelled += 1
        if self._cancelled > _MANY_CANCELLED and 2 * self._cancelled > len(self._timers):
            self._timers = [row for row in self._timers if row[2].callback is not None]
            heapq.heapify(self._timers)
            self._cancelled = 0

    def on_signal(self, number: int, callback: _Callback) -> None:
        """Call when the process gets a signal, until the loop is closed; only in the main thread."""
        self._signals.on_signal(number, lambda: self._called.append(callback))

    def on_early_signal(self, number: int, cancel: Callable[[], bool]) -> None:
        """Call `cancel` when the process gets a signal, until `on_signal`; only in the main thread.

        If it returns False, the signal does what it did before this call.
        """
        self._signals.on_early_signal(number, cancel)

    # --- Running ------------------------------------------------------------------------------

    def run(self) -> None:
        """Serve until `stop`."""
        wait = self._poller.wait
        readers, writers, soon, called = self._readers, self._writers, self._soon, self._called
        callback: _Callback | None
        now = monotonic()
        while not self._stopping:
            seconds = 0.0
            if not soon and not called:
                seconds = max(self._timers[0][0] - now, 0.0) if self._timers else -1.0
            for fd, mask in wait(seconds):
                # One callback that fails must not take the others with it. Those of connections and
                # background jobs catch their own; this handles unforeseen errors. (As `_call`, without
                # a call for each event.)
                try:
                    if mask != WRITE and (callback := readers.get(fd)):
                        callback()
                    if mask != READ and (callback := writers.get(fd)):
                        callback()
                except Exception:
                    log.exception("callback failed", extra={"callback": repr(callback)})
            now = monotonic()
            if self._timers and self._timers[0][0] <= now:
                self._run_timers(now)
            if soon:
                self._drain(soon)
            if called:
                self._drain(called)
        self._stopping = False

    def stop(self) -> None:
        """End `run` after the callbacks of the present events; from any thread."""
        self.call_soon_threadsafe(self._stop)

    def close(self) -> None:
        """Give everything back; a second call does nothing."""
        if self._closed:
            return
        self._closed = True
        self._signals.restore()
        self._poller.close()
        self._woken.close()
        self._waker.close()

    def _stop(self) -> None:
        self._stopping = True

    def _on_woken(self) -> None:
        with suppress(BlockingIOError):
            self._woken.recv(4096)

    def _run_timers(self, now: float) -> None:
        """Call the deadlines that have come; some wait for the next look at descriptors if all take long."""
        until = now + _TIMERS_SECONDS
        while self._timers and self._timers[0][0] <= now:
            _, _, timer = heapq.heappop(self._timers)
            callback, timer.callback = timer.callback, None
            if callback is None:
                self._cancelled -= 1
                continue
            _call(callback)
            if monotonic() > until:
                break

    @staticmethod
    def _drain(queue: deque[_Callback]) -> None:
        # What these ask for in turn comes after the next look at the descriptors.
        for _ in range(len(queue)):
            callback = queue.popleft()
            try:  # As `_call`, without a call for each.
                callback()
            except Exception:
                log.exception("callback failed", extra={"callback": repr(callback)})


def _call(callback: _Callback) -> None:
    try:
        callback()
    except Exception:
        log.exception("callback failed", extra={"callback": repr(callback)})
