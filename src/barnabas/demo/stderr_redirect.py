"""Redirect standard error of this process and its children for a while."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_STDERR = 2


@contextmanager
def stderr_to(log: Path) -> Iterator[None]:
    """Redirect file descriptor 2 to `log`; processes started meanwhile keep that."""
    kept = os.dup(_STDERR)
    try:
        with log.open("ab") as file:
            os.dup2(file.fileno(), _STDERR)
        yield
    finally:
        os.dup2(kept, _STDERR)
        os.close(kept)
