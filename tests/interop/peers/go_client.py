"""Clients written in Go: the program in `go/`, built once, is each of them by its first argument."""

import fcntl
import hashlib
import shutil
import subprocess
from pathlib import Path

from tests.interop.peers.maven import peers_folder
from tests.interop.peers.missing import PeerMissing
from tests.interop.peers.program import Program

SOURCES = Path(__file__).with_name("go")
BUILD_SECONDS = 600


def go_client(library: str, *arguments: str) -> Program:
    """The client that session.go calls so.

    Raises:
        PeerMissing: there is no Go, or it could not fetch or build.
    """
    return Program(library, [str(_built()), library, *arguments])


def go_module_version(module: str) -> str:
    """Which version go.mod asks for."""
    lines = (line.split() for line in (SOURCES / "go.mod").read_text().splitlines())
    return next(words[1].removeprefix("v") for words in lines if words[:1] == [module])


def _built() -> Path:
    sources = sorted(SOURCES.iterdir())
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:12]
    program = peers_folder() / f"go-clients-{digest}"
    if program.exists():
        return program
    compiler = shutil.which("go")
    if compiler is None:
        raise PeerMissing("needs Go: apt-get install golang-go")
    peers_folder().mkdir(parents=True, exist_ok=True)
    with (peers_folder() / "go-clients.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        scratch = program.with_name(f"{program.name}.part")
        command = [compiler, "build", "-o", str(scratch), "."]
        done = subprocess.run(
            command, cwd=SOURCES, capture_output=True, text=True, timeout=BUILD_SECONDS, check=False
        )
        if done.returncode != 0:
            raise PeerMissing(f"Go could not build the clients:\n{done.stderr}")
        scratch.rename(program)
    return program
