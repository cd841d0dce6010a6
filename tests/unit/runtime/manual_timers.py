"""Timers that fire when a test says so."""

from collections.abc import Callable


class ManualTimer:
    def __init__(self, seconds: float, callback: Callable[[], None]) -> None:
        self.seconds = seconds
        self.callback = callback
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


class ManualTimers:
    """Deadlines in order of time; `soon` waits for `run_soon`."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waiting: list[tuple[float, ManualTimer]] = []
        self.next: list[Callable[[], None]] = []

    def after(self, seconds: float, callback: Callable[[], None]) -> ManualTimer:
        timer = ManualTimer(seconds, callback)
        self.waiting.append((self.now + seconds, timer))
        return timer

    def soon(self, callback: Callable[[], None]) -> None:
        self.next.append(callback)

    def run_turn(self) -> None:
        """Only what waits already, as a loop does between two looks at its descriptors."""
        for _ in range(len(self.next)):
            self.next.pop(0)()

    def run_soon(self) -> None:
        while self.next:
            self.next.pop(0)()

    def advance(self, seconds: float) -> None:
        self.now += seconds
        due = sorted((row for row in self.waiting if row[0] <= self.now), key=lambda row: row[0])
        self.waiting = [row for row in self.waiting if row[0] > self.now]
        for _, timer in due:
            if not timer.cancelled:
                timer.callback()
