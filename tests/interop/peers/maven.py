"""Java peers from Maven: a named list of artifacts becomes a folder of jars, fetched once.

The folder is `.peers/` in the checkout, or where BARNABAS_PEERS_DIR points (to share it between
checkouts). Nothing of it is ever committed.
"""

import fcntl
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from string import Template

from tests.interop.peers.missing import PeerMissing

ROOT = Path(__file__).resolve().parents[3]
FETCH_SECONDS = 600


@dataclass(frozen=True, slots=True)
class MavenPeer:
    """A runnable set of jars: `artifacts` as group:artifact:version, `without` as group:artifact.

    `without=("*:*",)` takes the named artifacts alone, and does not look at what they depend on.
    """

    name: str
    artifacts: tuple[str, ...]
    without: tuple[str, ...] = ()

    @property
    def version(self) -> str:
        """Of the first artifact."""
        return self.artifacts[0].rpartition(":")[2]


KAFKA_4 = MavenPeer(
    "kafka-4.3.0",
    (
        "org.apache.kafka:kafka_2.13:4.3.0",
        "org.apache.kafka:kafka-tools:4.3.0",
        # slf4j-api is 1.7.36 there, so this binding and not log4j-slf4j2-impl.
        "org.apache.logging.log4j:log4j-slf4j-impl:2.24.3",
        "org.apache.logging.log4j:log4j-core:2.24.3",
        "org.apache.logging.log4j:log4j-api:2.24.3",
    ),
)

KAFKA_STREAMS = MavenPeer(
    "kafka-streams-4.3.0",
    (
        "org.apache.kafka:kafka-streams:4.3.0",
        "org.apache.logging.log4j:log4j-slf4j-impl:2.24.3",
        "org.apache.logging.log4j:log4j-core:2.24.3",
        "org.apache.logging.log4j:log4j-api:2.24.3",
    ),
    # 70 MB, for stores on disk: the program in `java/` keeps its own in memory.
    without=("org.rocksdb:rocksdbjni",),
)

# Spark's own connector for 4.2 runs on PySpark 4.3; the rest of its closure is in PySpark already.
SPARK_CONNECTOR = MavenPeer(
    "spark-kafka-4.2.0",
    (
        "org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0",
        "org.apache.spark:spark-token-provider-kafka-0-10_2.13:4.0.0",
        "org.apache.kafka:kafka-clients:3.9.2",
        "org.apache.commons:commons-pool2:2.12.0",
    ),
    without=("*:*",),
)


# What `from_avro` needs beside PySpark.
SPARK_AVRO = MavenPeer(
    "spark-avro-4.2.0", ("org.apache.spark:spark-avro_2.13:4.2.0",), without=("*:*",)
)


def peers_folder() -> Path:
    """Where fetched jars live."""
    return Path(os.environ.get("BARNABAS_PEERS_DIR") or ROOT / ".peers")


def java() -> str:
    """The Java to run peers with.

    Raises:
        PeerMissing: there is none.
    """
    home = os.environ.get("JAVA_HOME")
    candidate = shutil.which(str(Path(home) / "bin" / "java")) if home else None
    found = candidate or shutil.which("java")
    if found is None:
        raise PeerMissing("needs a JDK of 17 or later: apt-get install openjdk-17-jdk-headless")
    return found


def jars(peer: MavenPeer) -> Path:
    """The folder with the peer's jars, fetched now if it is not there.

    Raises:
        PeerMissing: Maven is not installed, or it could not fetch.
    """
    folder = peers_folder() / peer.name
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    # Several test runs may share the folder; the second one waits and finds it done.
    with (folder.parent / f"{peer.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():
            _fetch(peer, folder)
    return folder


def class_path(peer: MavenPeer) -> str:
    """What to give `java -cp`."""
    return f"{jars(peer)}/*"


def _fetch(peer: MavenPeer, folder: Path) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        raise PeerMissing(f"{peer.name} needs Maven: apt-get install maven")
    scratch = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    (scratch / "pom.xml").write_text(pom(peer))
    command = [
        maven, "-q", "-B", "-f", str(scratch / "pom.xml"),
        "org.apache.maven.plugins:maven-dependency-plugin:copy-dependencies",
        f"-DoutputDirectory={scratch / 'jars'}", "-DincludeScope=runtime",
    ]  # fmt: skip
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=FETCH_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise PeerMissing(
            f"Maven did not fetch {peer.name} within {FETCH_SECONDS} s", expected_in_ci=True
        ) from None
    if done.returncode != 0:
        reason = "\n".join((done.stdout + done.stderr).strip().splitlines()[-15:])
        raise PeerMissing(f"Maven could not fetch {peer.name}:\n{reason}", expected_in_ci=True)
    (scratch / "jars").rename(folder)
    shutil.rmtree(scratch)


def pom(peer: MavenPeer) -> str:
    """The project file that asks Maven for the peer's artifacts."""
    template = Template(Path(__file__).with_name("pom.xml").read_text())
    return template.substitute(
        name=peer.name,
        dependencies="\n".join(_dependency(each, peer.without) for each in peer.artifacts),
    )


def _dependency(coordinates: str, without: tuple[str, ...]) -> str:
    group, artifact, version = coordinates.split(":")
    excluded = "".join(
        "<exclusion><groupId>{}</groupId><artifactId>{}</artifactId></exclusion>".format(
            *each.split(":")
        )
        for each in without
    )
    exclusions = f"<exclusions>{excluded}</exclusions>" if excluded else ""
    return (
        f"    <dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId>"
        f"<version>{version}</version>{exclusions}</dependency>"
    )
