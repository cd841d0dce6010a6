"""ThreadWorker: the Worker port over one thread, started on first use."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait

from barnabas.ports import Disk
from barnabas.runtime.files.disk import RealDisk

_OPEN_FILES = 16


class ThreadWorker:
    """Takes jobs one after the other. `close` when no more come."""

    def __init__(self) -> None:
        self._disk = RealDisk(_OPEN_FILES)
        self._thread: ThreadPoolExecutor | None = None

    @property
    def disk(self) -> Disk:
        """For the thread alone: a `RealDisk` is used from one."""
        return self._disk

    def begin(self, steps: Iterator[int], bytes_per_second: float) -> "ThreadWork":
        """Take the steps on the thread; see `ports.Worker.begin`."""
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, thread_name_prefix="barnabas-worker")
        stopping = threading.Event()
        return ThreadWork(
            self._thread.submit(_take_steps, steps, bytes_per_second, stopping), stopping
        )

    def close(self) -> None:
        """Wait for the jobs under way and end the thread."""
        if self._thread is not None:
            self._thread.shutdown()
            self._thread = None
        self._disk.close()


class ThreadWork:
    """`ports.Work` over a future."""

    __slots__ = ("_future", "_stopping")

    def __init__(self, future: Future[None], stopping: threading.Event) -> None:
        self._future = future
        self._stopping = stopping

    def poll(self) -> bool:
        """Whether it has ended; raises the error that ended it."""
        if not self._future.done():
            return False
        self._future.result()
        return True

    def cancel(self) -> None:
        """End it after the step it is at."""
        self._stopping.set()
        wait([self._future])


def _take_steps(steps: Iterator[int], bytes_per_second: float, stopping: threading.Event) -> None:
    begun = time.monotonic()
    moved = 0
    for more in steps:
        moved += more
        ahead = moved / bytes_per_second - (time.monotonic() - begun)
        if stopping.is_set() or (ahead > 0 and stopping.wait(ahead)):
            return
