"""Copies a topic: keys, values, headers and timestamps."""

from pyspark import pipelines as dp
from pyspark.sql import DataFrame, SparkSession

spark = SparkSession.active()
servers = spark.conf.get("spark.barnabas.servers")

dp.create_sink(
    "target",
    "barnabas",
    {
        "kafka.bootstrap.servers": servers,
        "topic": spark.conf.get("spark.barnabas.target"),
        "deliveryGuarantee": "exactly-once",
    },
)


@dp.append_flow(target="target")
def copy() -> DataFrame:
    return (
        spark.readStream.format("barnabas")
        .option("kafka.bootstrap.servers", servers)
        .option("subscribe", spark.conf.get("spark.barnabas.source"))
        .option("startingOffsets", "earliest")
        .option("includeHeaders", "true")
        .load()
        .select("key", "value", "headers", "timestamp")
    )
