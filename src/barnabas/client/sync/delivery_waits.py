"""How a thread waits for the outcome of a record that it sent."""

import threading

from barnabas.client.core.producer.delivery import DeliverySource
from barnabas.errors import LocalProtocolError, RequestTimeout
from barnabas.ports import Clock
from barnabas.runtime.loops.portal import Portal


class ThreadWaits:
    """Waits for outcomes on the caller's thread. It does not refer to the producer."""

    def __init__(self, portal: Portal, clock: Clock) -> None:
        self._portal = portal
        self._clock = clock
        self._of_thread = threading.local()

    def block(self, batch: DeliverySource, index: int, timeout_s: float | None) -> None:
        """Block this thread until the record has an outcome."""
        if batch.done(index):
            return
        deadline = None if timeout_s is None else self._clock.monotonic() + timeout_s
        changed = self._changed()
        while not batch.done(index):
            self._portal.check()
            changed.clear()
            batch.when_record_settled(index, changed.set)
            left = None if deadline is None else deadline - self._clock.monotonic()
            if not batch.done(index) and not changed.wait(left):
                raise RequestTimeout(
                    f"no outcome of the record within {timeout_s} s (timeout_s); it may come later"
                )

    def _changed(self) -> threading.Event:
        """This thread's event, reused: an earlier wait may set it too early."""
        found: threading.Event | None = getattr(self._of_thread, "changed", None)
        if found is None:
            found = self._of_thread.changed = threading.Event()
        return found

    async def wait(self, batch: DeliverySource, index: int) -> None:
        """Refuse if it would have to wait."""
        if not batch.done(index):
            raise LocalProtocolError("this delivery belongs to a sync producer: call result()")
