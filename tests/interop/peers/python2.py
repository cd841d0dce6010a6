"""Programs of Python 2.7 with packages from PyPI, which are for `import` as their sources are."""

import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from tests.interop.peers.fetched import fetched, run
from tests.interop.peers.missing import PeerMissing

_PYENV = {"PYENV_VERSION": "2.7.18"}


def python2(program: Path, packages: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """The command that runs a program, and what it needs besides in its environment.

    Raises:
        PeerMissing: there is no Python 2.7, or pip could not fetch.
    """
    python = shutil.which("python2.7")
    command = [python or "", "--version"]
    environment = {**os.environ, **_PYENV}
    if not python or subprocess.run(command, env=environment, check=False).returncode:
        raise PeerMissing("needs Python 2.7: pyenv install 2.7.18")
    download = partial(_pip_download, packages)
    folder = fetched("python2", " ".join(packages), download)
    paths = os.pathsep.join(str(path) for path in folder.iterdir() if path.is_dir())
    return [python, str(program)], {**_PYENV, "PYTHONPATH": paths}


def _pip_download(packages: Sequence[str], folder: Path) -> None:
    """Sources, unpacked: they are for `import` as they are."""
    command = [
        sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:",
        "--no-build-isolation", *packages,
    ]  # fmt: skip
    run(command, folder)
    for path in folder.glob("*.tar.gz"):
        with tarfile.open(path) as packed:
            packed.extractall(folder, filter="data")
