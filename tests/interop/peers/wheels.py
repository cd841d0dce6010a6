"""Old releases of Python clients: a pure wheel is a folder for `import` as it is, so none is installed."""

import fcntl
import shutil
import subprocess
import sys
from pathlib import Path

from tests.interop.peers.maven import peers_folder
from tests.interop.peers.missing import PeerMissing

FETCH_SECONDS = 120


def wheel(name: str, version: str) -> Path:
    """The file of a release on PyPI, fetched once; for PYTHONPATH.

    Raises:
        PeerMissing: pip could not fetch it.
    """
    folder = peers_folder() / f"{name}-{version}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():
            _fetch(f"{name}=={version}", folder)
    (found,) = folder.glob("*-none-any.whl")
    return found


def _fetch(what: str, folder: Path) -> None:
    scratch = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(scratch, ignore_errors=True)
    command = [
        sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:",
        "--dest", str(scratch), what,
    ]  # fmt: skip
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=FETCH_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise PeerMissing(f"pip did not fetch {what} within {FETCH_SECONDS} s") from None
    if done.returncode != 0:
        raise PeerMissing(f"pip could not fetch {what}:\n{done.stderr.strip()}")
    scratch.rename(folder)
