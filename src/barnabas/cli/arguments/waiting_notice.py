"""A notice while a command waits for a broker."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_SECONDS = 2.0


@contextmanager
def waiting_notice(servers: str, seconds: float = _SECONDS) -> Iterator[None]:
    """Print a notice on stderr if the block takes longer than `seconds` because no broker answers."""
    timer = threading.Timer(seconds, _say, (servers,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()  # The notice precedes other output, it never interrupts it.


def _say(servers: str) -> None:
    print(
        f"barnabas: {servers} has not answered yet, still trying (Ctrl-C to stop)",
        file=sys.stderr,
        flush=True,
    )
