"""Clients written for Node, driven by the programs in `node/`; npm fetches them and a Node for them."""

import fcntl
import hashlib
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

from tests.interop.peers.maven import FETCH_SECONDS, peers_folder
from tests.interop.peers.missing import PeerMissing
from tests.interop.peers.program import Program

SOURCES = Path(__file__).with_name("node")


def node_client(name: str) -> Program:
    """The client of `name`.mjs.

    Raises:
        PeerMissing: there is no npm, or it could not fetch.
    """
    folder = _fetched()
    # Its own Node: what Debian has is too old for one of the clients.
    node = folder / "node_modules" / "node" / "bin" / "node"
    return Program(name, [str(node), str(folder / "session.mjs"), name])


def node_package_version(package: str) -> str:
    """Which version package.json asks for."""
    asked: dict[str, Any] = json.loads((SOURCES / "package.json").read_text())
    return str(asked["dependencies"][package])


def _fetched() -> Path:
    """A folder with the programs and what they need."""
    package = SOURCES / "package.json"
    digest = hashlib.sha256(package.read_bytes()).hexdigest()[:12]
    folder = peers_folder() / f"node-clients-{digest}"
    npm = shutil.which("npm")
    if npm is None:
        raise PeerMissing("needs npm: apt-get install npm")
    peers_folder().mkdir(parents=True, exist_ok=True)
    with (peers_folder() / "node-clients.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():
            scratch = folder.with_name(f"{folder.name}.part")
            shutil.rmtree(scratch, ignore_errors=True)
            scratch.mkdir()
            shutil.copy(package, scratch)
            done = subprocess.run(
                [npm, "install", "--no-audit", "--no-fund"],
                cwd=scratch, capture_output=True, text=True, timeout=FETCH_SECONDS, check=False,
            )  # fmt: skip
            if done.returncode != 0:
                raise PeerMissing(f"npm could not fetch the clients:\n{done.stderr}")
            scratch.rename(folder)
        for source in SOURCES.glob("*.mjs"):
            shutil.copy(source, folder)
    return folder
