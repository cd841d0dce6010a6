"""Wait for what another thread or process brings about."""

import time
from collections.abc import Callable

SECONDS = 30.0


def wait(happened: Callable[[], bool], shown: Callable[[], object] = lambda: None) -> None:
    """Return when `happened` is true; fails after 30 seconds with what `shown` returns."""
    deadline = time.monotonic() + SECONDS
    while not happened():
        assert time.monotonic() < deadline, shown()
        time.sleep(0.01)
