"""Topics as ends of Spark's declarative pipelines, run by `spark-pipelines` as its users do."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from barnabas.spark.sessions.java import default_cache, find_java
from tests.spark.topics import Topics

pytestmark = [pytest.mark.spark, pytest.mark.long, pytest.mark.timeout(900)]

SPEC = """
name: animals
storage: file://{folder}/storage
libraries:
  - glob:
      include: transformations/**
"""

CONF = (
    "spark.ui.enabled=false",
    # The catalog of memory would have forgotten the tables of the first run at the second one.
    "spark.sql.catalogImplementation=hive",
)

TRANSFORMATIONS = """
from pyspark import pipelines as dp
from pyspark.sql import SparkSession

spark = SparkSession.active()
servers = {servers!r}


@dp.table
def received():
    reader = spark.readStream.format("barnabas").option("kafka.bootstrap.servers", servers)
    reader = reader.option("subscribe", {source!r}).option("startingOffsets", "earliest")
    return reader.load().selectExpr("CAST(value AS STRING) AS sound", "partition")


@dp.materialized_view
def sounds():
    return spark.read.table("received").groupBy("sound").count()


dp.create_sink("loud", "barnabas", {{"kafka.bootstrap.servers": servers, "topic": {target!r}}})


@dp.append_flow(target="loud")
def shout():
    return spark.readStream.table("received").selectExpr("upper(sound) AS value")
"""


def run_pipeline(folder: Path, command: str) -> str:
    """What `spark-pipelines` printed."""
    environment = os.environ | {
        "JAVA_HOME": str(find_java(os.environ, cache=default_cache()).home),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    program = Path(sys.executable).with_name("spark-pipelines")
    done = subprocess.run(
        [program, *(word for each in CONF for word in ("--conf", each)), command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-6000:]
    return done.stdout + done.stderr


def test_topic_to_table_to_view_and_to_topic_twice(topics: Topics, tmp_path: Path) -> None:
    source, target = topics.create(2), topics.create()
    text = TRANSFORMATIONS.format(servers=topics.servers, source=source, target=target)
    (tmp_path / "spark-pipeline.yml").write_text(SPEC.format(folder=tmp_path))
    (tmp_path / "transformations").mkdir()
    (tmp_path / "transformations/animals.py").write_text(text)
    topics.send_numbers(source, range(20), partitions=2)
    run_pipeline(tmp_path, "dry-run")
    assert topics.all_of(target) == []
    run_pipeline(tmp_path, "run")
    assert sorted(int(each.value()) for each in topics.all_of(target)) == list(range(20))
    topics.send_numbers(source, range(20, 25), partitions=2)
    run_pipeline(tmp_path, "run")
    assert sorted(int(each.value()) for each in topics.all_of(target)) == list(range(25))
