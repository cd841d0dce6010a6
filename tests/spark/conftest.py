"""One Spark session and one broker for the whole directory; a topic of its own for each test.

BARNABAS_SPARK_BROKER=kafka runs everything against real Kafka instead of our broker.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.classic.dataframe import DataFrame

from barnabas.spark import session
from barnabas.spark.workers.worker_retries import despite_late_workers
from tests.interop.peers.maven import SPARK_AVRO, SPARK_CONNECTOR, jars
from tests.interop.peers.missing import PeerMissing
from tests.spark.topics import Topics


@pytest.fixture(scope="session")
def servers() -> Iterator[str]:
    if os.environ.get("BARNABAS_SPARK_BROKER") == "kafka":
        from tests.interop.peers.brokers.real_kafka import RealKafka

        with RealKafka() as kafka:
            yield kafka.bootstrap_servers
    else:
        from barnabas.testing import EmbeddedBroker

        with EmbeddedBroker() as broker:
            yield broker.bootstrap_servers


@pytest.fixture(scope="session", autouse=True)
def _patient_reads() -> Iterator[None]:
    """Batch reads are made again where the machine was too busy to start Python in time."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("collect", "count"):
            patch.setattr(DataFrame, name, _patient(getattr(DataFrame, name)))
        yield


def _patient(read: Callable[[DataFrame], Any]) -> Callable[[DataFrame], Any]:
    def reading(frame: DataFrame) -> Any:
        return despite_late_workers(lambda: read(frame))

    return reading


@pytest.fixture(scope="session")
def spark(request: pytest.FixtureRequest) -> Iterator[SparkSession]:
    """Has Spark's own connector, too, where a test marked `java` is among those to run."""
    own = ""
    if any(item.get_closest_marker("java") for item in request.session.items):
        # Where it is missing, the tests that need it say so; the others need only the session.
        with suppress(PeerMissing):
            found = [*jars(SPARK_CONNECTOR).glob("*.jar"), *jars(SPARK_AVRO).glob("*.jar")]
            own = ",".join(map(str, sorted(found)))
    started = session(
        "tests",
        master="local[2]",
        fast_checkpoints=True,
        settings={
            "spark.sql.shuffle.partitions": "2",
            "spark.sql.session.timeZone": "America/New_York",
            "spark.driver.memory": "1g",
            "spark.log.level": "OFF",
            "spark.jars": own,
        },
    )
    yield started
    started.stop()


@pytest.fixture(scope="session")
def _topics(servers: str) -> Topics:
    return Topics(servers)


@pytest.fixture
def topics(_topics: Topics, request: pytest.FixtureRequest) -> Topics:
    """Makes topics whose names begin with the test's own."""
    _topics.prefix = request.node.name.split("[")[0].removeprefix("test_")[:60]
    return _topics


@pytest.fixture
def checkpoint(tmp_path: Path) -> str:
    return str(tmp_path / "checkpoint")
