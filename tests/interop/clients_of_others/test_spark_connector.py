"""Spark's own Kafka connector writes to and reads from a broker: batch and stream."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.interop.brokers import InteropBroker
from tests.interop.peers.maven import SPARK_CONNECTOR, jars, java
from tests.interop.peers.missing import PeerMissing, give_up
from tests.interop.spark_job import ROWS

pytestmark = [pytest.mark.interop, pytest.mark.java, pytest.mark.timeout(600)]

JOB = Path(__file__).parents[1] / "spark_job.py"


@pytest.mark.parametrize(
    "broker",
    [
        pytest.param("real_kafka", marks=pytest.mark.long, id="kafka"),
        pytest.param("our_broker", id="barnabas"),
    ],
    indirect=True,
)
def test_rows_go_through_a_topic_unchanged(broker: InteropBroker, tmp_path: Path) -> None:
    try:
        java()
        connector = ",".join(str(jar) for jar in sorted(jars(SPARK_CONNECTOR).glob("*.jar")))
    except PeerMissing as missing:
        give_up(missing)
    topic = broker.new_topic(partitions=3)
    done = subprocess.run(
        [sys.executable, str(JOB), broker.bootstrap_servers, topic, connector, str(tmp_path)],
        env={**os.environ, "PYSPARK_PYTHON": sys.executable},
        capture_output=True, text=True, timeout=540, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert len(found["records"]) == found["streamed"] == ROWS
    assert found["records"] == found["expected"]
    assert found["batches"] >= 3
    for partition in range(3):
        offsets = sorted(offset for where, offset in found["offsets"] if where == partition)
        assert offsets == list(range(len(offsets)))
