"""CallThread: runs blocking calls of a registry on a thread, so that no loop waits."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import TypeVar

Made = TypeVar("Made")


class CallThread:
    """Does one work after the other; the thread is there once it has been needed."""

    def __init__(self, hand_over: Callable[[Callable[[], None]], None]) -> None:
        """`hand_over` has something called on the loop."""
        self._hand_over = hand_over
        self._thread: ThreadPoolExecutor | None = None
        self._closed = False

    def later(self, work: Callable[[], Made], on_done: Callable[[Made | Exception], None]) -> None:
        """As `Registry.later`. After `close` it does nothing and calls nobody."""
        if self._closed:
            return
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, thread_name_prefix="barnabas-registry")
        self._thread.submit(self._do, work, on_done)

    def _do(self, work: Callable[[], Made], on_done: Callable[[Made | Exception], None]) -> None:
        outcome = outcome_of(work)
        # A loop that has ended has no callbacks to run.
        with suppress(RuntimeError):
            self._hand_over(partial(on_done, outcome))

    def close(self) -> None:
        """Begin no more work, and wait for none."""
        self._closed = True
        if self._thread is not None:
            self._thread.shutdown(wait=False, cancel_futures=True)


def outcome_of(work: Callable[[], Made]) -> Made | Exception:
    """The result of some work, or its error."""
    try:
        return work()
    except Exception as error:  # noqa: BLE001 - whoever asked for it deals with it
        return error
