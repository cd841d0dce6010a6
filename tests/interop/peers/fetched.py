"""Folders with what a package manager fetched: each is made once, under a lock."""

import fcntl
import hashlib
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.interop.peers.maven import FETCH_SECONDS, peers_folder
from tests.interop.peers.missing import PeerMissing


def fetched(kind: str, what: str, fetch: Callable[[Path], None]) -> Path:
    """The folder of the requested files, fetched now if it is missing."""
    digest = hashlib.sha256(what.encode()).hexdigest()[:12]
    folder = peers_folder() / f"{kind}-{digest}"
    peers_folder().mkdir(parents=True, exist_ok=True)
    with (peers_folder() / f"{kind}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():
            scratch = folder.with_name(f"{folder.name}.part")
            shutil.rmtree(scratch, ignore_errors=True)
            scratch.mkdir()
            fetch(scratch)
            scratch.rename(folder)
    return folder


def run(command: list[str], folder: Path) -> None:
    """Have a command fetch into a folder.

    Raises:
        PeerMissing: it could not.
    """
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=FETCH_SECONDS, check=False
    )
    if done.returncode != 0:
        raise PeerMissing(f"{command[0]} could not fetch:\n{done.stderr}")
