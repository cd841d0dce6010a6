"""One Spark session and one broker for the whole directory; a topic of its own for each test.

BARNABAS_SPARK_BROKER=kafka runs everything against real Kafka instead of our broker.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from barnabas.spark.session import session
from tests.spark.topics import Topics


@pytest.fixture(scope="session")
def servers() -> Iterator[str]:
    if os.environ.get("BARNABAS_SPARK_BROKER") == "kafka":
        from tests.interop.peers.real_kafka import RealKafka

        with RealKafka() as kafka:
            yield kafka.bootstrap_servers
    else:
        from barnabas.testing import EmbeddedBroker

        with EmbeddedBroker() as broker:
            yield broker.bootstrap_servers


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    started = session(
        "tests",
        master="local[2]",
        fast_checkpoints=True,
        settings={
            "spark.sql.shuffle.partitions": "2",
            "spark.sql.session.timeZone": "America/New_York",
            "spark.driver.memory": "1g",
            "spark.log.level": "OFF",
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
