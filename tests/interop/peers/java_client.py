"""Clients of a release of Kafka, driven by the programs in `java/`, compiled against that release."""

import fcntl
import hashlib
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.interop.peers.maven import MavenPeer, class_path, java, peers_folder
from tests.interop.peers.missing import PeerMissing
from tests.interop.peers.program import Program

SOURCES = Path(__file__).with_name("java")
NEEDED = ("Session", "Part", "Row")


def java_client(release: MavenPeer, parts: Mapping[str, str]) -> Program:
    """A client that does each verb of `parts` by the class named.

    Raises:
        PeerMissing: there is no JDK or no Maven, or it could not fetch.
    """
    classes = compiled(release, sorted({*NEEDED, *parts.values()}))
    command = [
        java(), "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
        # What unpacks the snappy library of 0.8.0 and 0.8.1 loads it so.
        "--add-opens", "java.base/java.lang=ALL-UNNAMED",
        "-cp", f"{classes}:{class_path(release)}", "Session",
        *(f"{verb}={part}" for verb, part in parts.items()),
    ]  # fmt: skip
    return Program(release.name, command)


def compiled(release: MavenPeer, names: list[str]) -> Path:
    """The folder of the classes, compiled now if these sources were not yet."""
    jars = class_path(release)
    sources = [SOURCES / f"{name}.java" for name in names]
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:12]
    folder = peers_folder() / f"{release.name}-programs-{digest}"
    with (peers_folder() / f"{release.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if folder.is_dir():
            return folder
        compiler = shutil.which("javac")
        if compiler is None:
            raise PeerMissing("needs a JDK with javac: apt-get install openjdk-17-jdk-headless")
        scratch = folder.with_name(f"{folder.name}.part")
        shutil.rmtree(scratch, ignore_errors=True)
        command = [compiler, "-nowarn", "-proc:none", "-cp", jars, "-d", str(scratch)]
        done = subprocess.run(
            [*command, *map(str, sources)], capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise RuntimeError(f"the programs for {release.name} do not compile:\n{done.stderr}")
        scratch.rename(folder)
    return folder
