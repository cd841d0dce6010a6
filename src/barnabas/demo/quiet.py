"""Keep standard error, of this process and of those it starts, off the terminal for a while."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_STDERR = 2


@contextmanager
def stderr_to(log: Path) -> Iterator[None]:
    """Send file descriptor 2 to `log`; a process started meanwhile keeps it there for good."""
    kept = os.dup(_STDERR)
    try:
        with log.open("ab") as file:
            os.dup2(file.fileno(), _STDERR)
        yield
    finally:
        os.dup2(kept, _STDERR)
        os.close(kept)
