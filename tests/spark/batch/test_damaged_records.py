"""Records that were damaged on the broker's disk: an error that names them, and no row of them."""

from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from barnabas import Producer
from barnabas.testing import EmbeddedBroker

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]


@pytest.mark.parametrize("lenient", ["true", "false"])
def test_a_damaged_batch_is_named_with_its_partition_and_what_to_do(
    spark: SparkSession, tmp_path: Path, lenient: str
) -> None:
    with EmbeddedBroker(data_dir=tmp_path) as broker:
        for number in range(3):
            with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
                producer.send("worn", f"value {number}")
    (segment,) = tmp_path.glob("worn-0/*.log")
    content = segment.read_bytes()
    segment.write_bytes(content.replace(b"value 1", b"vAlue 1"))
    with EmbeddedBroker(data_dir=tmp_path) as broker:
        reader = spark.read.format("barnabas").option("subscribe", "worn")
        reader = reader.option("kafka.bootstrap.servers", broker.bootstrap_servers)
        frame = reader.option("failOnDataLoss", lenient).load()
        damaged = (
            r"\[BARNABAS_CORRUPT\] worn-0: batch at offset 1: its CRC is wrong.*'startingOffsets'"
        )
        with pytest.raises(PySparkException, match=damaged):
            frame.collect()
        before = reader.option("endingOffsets", '{"worn":{"0":1}}').load()
        assert [row.value for row in before.collect()] == [b"value 0"]
