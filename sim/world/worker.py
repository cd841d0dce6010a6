"""SimWorker: the Worker port: steps of long work, one after the other between other events."""

from collections.abc import Iterator

from barnabas.errors import StorageError
from sim.world.disk import SimDisk
from sim.world.entropy import SeededEntropy
from sim.world.process import Process

_LONGEST_STEP = 0.01


class SimWork:
    """`ports.Work`."""

    def __init__(self, process: Process, entropy: SeededEntropy, steps: Iterator[int]) -> None:
        self._process = process
        self._entropy = entropy
        self._steps = steps
        self._error: StorageError | None = None
        self._is_over = False
        self._go_on()

    def poll(self) -> bool:
        """Whether it is over; raises what ended it."""
        if self._error is not None:
            raise self._error
        return self._is_over

    def cancel(self) -> None:
        """Take no further step."""
        self._is_over = True

    def _go_on(self) -> None:
        self._process.after(self._entropy.between(0, _LONGEST_STEP), self._step)

    def _step(self) -> None:
        if self._is_over:
            return
        try:
            self._is_over = next(self._steps, None) is None
        except StorageError as error:
            self._error = error
            return
        self._go_on()


class SimWorker:
    """`ports.Worker`."""

    def __init__(self, process: Process, entropy: SeededEntropy, disk: SimDisk) -> None:
        self._process = process
        self._entropy = entropy
        self.disk = disk

    def begin(self, steps: Iterator[int], bytes_per_second: float) -> SimWork:
        """Begin to take the steps."""
        del bytes_per_second
        return SimWork(self._process, self._entropy, steps)
