"""Small programs in the user's cache that start Java and Python for Spark."""

import os
from pathlib import Path


def write_program(path: Path, text: str) -> None:
    """Write an executable file, if it is missing or different.

    Raises:
        OSError: the folder cannot be written.
    """
    if path.exists() and path.read_text() == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    # Another process may be running the old file: replace it with a whole new one.
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    fresh.write_text(text)
    fresh.chmod(0o755)
    fresh.replace(path)
