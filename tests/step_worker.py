"""A worker that does nothing by itself: its job continues when the test steps it."""

from collections.abc import Iterator

from barnabas.errors import StorageError
from barnabas.ports import Disk, Work


class StepWork:
    """A job of which `take` does a few steps."""

    def __init__(self, steps: Iterator[int]) -> None:
        self._steps = steps
        self._error: StorageError | None = None
        self.over = False

    def take(self, count: int) -> None:
        try:
            for _ in range(count):
                if self.over:
                    return
                if next(self._steps, None) is None:
                    self.over = True
        except StorageError as error:
            self._error, self.over = error, True

    def poll(self) -> bool:
        if self._error is not None:
            raise self._error
        return self.over

    def cancel(self) -> None:
        self.over = True


class StepWorker:
    """`ports.Worker`; `jobs` are those begun, the last one last."""

    def __init__(self, disk: Disk) -> None:
        self.disk = disk
        self.jobs: list[StepWork] = []

    def begin(self, steps: Iterator[int], bytes_per_second: float) -> Work:
        self.jobs.append(StepWork(steps))
        return self.jobs[-1]

    def take(self, count: int) -> None:
        """Some steps of every job that is not over."""
        for job in self.jobs:
            job.take(count)
        self.jobs = [job for job in self.jobs if not job.over]
