"""pykafka: fetched into a folder of its own, run by this Python."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.interop.peers.maven import FETCH_SECONDS, peers_folder
from tests.interop.peers.missing import PeerMissing
from tests.interop.peers.program import Program

VERSION = "2.8.0"


def pykafka_client(broker_version: str) -> Program:
    """The client that takes our broker for one of a version.

    Raises:
        PeerMissing: pip could not fetch it.
    """
    folder = peers_folder() / f"pykafka-{VERSION}"
    if not folder.is_dir():
        scratch = folder.with_name(f"{folder.name}.part")
        shutil.rmtree(scratch, ignore_errors=True)
        command = [
            sys.executable, "-m", "pip", "install", "--quiet", "--target", str(scratch),
            f"pykafka=={VERSION}", "setuptools<80",  # it looks for pkg_resources
        ]  # fmt: skip
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=FETCH_SECONDS, check=False
        )
        if done.returncode != 0:
            raise PeerMissing(f"pip could not fetch pykafka:\n{done.stderr}")
        scratch.rename(folder)
    session = Path(__file__).with_name("pykafka_session.py")
    return Program(
        "pykafka",
        [sys.executable, str(session), broker_version],
        environment={**os.environ, "PYTHONPATH": str(folder)},
    )
