"""Apicurio, a schema registry that speaks Confluent's REST interface too; keeps all in memory."""

import http.client
import os
import shutil
import time
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from tests.interop.peers.child import Child
from tests.interop.peers.fetched import fetched, run
from tests.interop.peers.maven import java
from tests.interop.peers.missing import PeerMissing
from tests.interop.peers.ready import free_ports

ARTIFACT: Final = "io.apicurio:apicurio-registry-app:2.6.13.Final:tar.gz:all"
PATH: Final = "/apis/ccompat/v7"
PATIENCE_S: Final = 120.0


def _fetch(folder: Path) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        raise PeerMissing("Apicurio needs Maven: apt-get install maven")
    # (The version of the plugin is the one that has both goals' options.)
    goal = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1"
    run([maven, "-q", "-B", f"{goal}:get", f"-Dartifact={ARTIFACT}", "-Dtransitive=false"], folder)
    where = f"-DoutputDirectory={folder}"
    run([maven, "-q", "-B", f"{goal}:unpack", f"-Dartifact={ARTIFACT}", where], folder)


class Apicurio:
    """`with Apicurio(folder) as registry:` answers at `registry.url`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._child: Child | None = None
        self._port = 0

    @property
    def url(self) -> str:
        """For clients of Confluent's registry."""
        return f"http://127.0.0.1:{self._port}{PATH}"

    def __enter__(self) -> Self:
        (jar,) = fetched("apicurio", ARTIFACT, _fetch).glob("*-runner.jar")
        (self._port,) = free_ports(1)
        place = ("-Dquarkus.http.host=127.0.0.1", f"-Dquarkus.http.port={self._port}")
        command = [java(), "-Xmx300m", *place, "-jar", str(jar)]
        self._child = Child(command, self._folder / "apicurio.log", environment=dict(os.environ))
        try:
            self._wait(self._child)
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._child is not None
        self._child.stop()

    def _wait(self, child: Child) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while True:
            assert child.alive(), child.tail()
            assert time.monotonic() < deadline, child.tail()
            connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=10)
            try:
                connection.request("GET", f"{PATH}/subjects")
                if connection.getresponse().status == http.HTTPStatus.OK:
                    return
            except OSError:
                pass
            finally:
                connection.close()
            time.sleep(0.3)
