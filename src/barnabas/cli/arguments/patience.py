"""A word to who waits for a broker, before the client's time is over."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_SECONDS = 2.0


@contextmanager
def patience(servers: str, seconds: float = _SECONDS) -> Iterator[None]:
    """Say on stderr that no broker has answered yet, if the block takes longer than `seconds`."""
    timer = threading.Timer(seconds, _say, (servers,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()  # What it says comes before what follows, never amid it.


def _say(servers: str) -> None:
    print(
        f"barnabas: no answer from {servers} yet, still trying (Ctrl-C gives up)",
        file=sys.stderr,
        flush=True,
    )
