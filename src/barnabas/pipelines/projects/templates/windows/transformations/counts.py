"""Counts records per key and minute. A window is written once, when the watermark has passed it."""

from pyspark import pipelines as dp
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

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
def counts() -> DataFrame:
    clicks = (
        spark.readStream.format("barnabas")
        .option("kafka.bootstrap.servers", servers)
        .option("subscribe", spark.conf.get("spark.barnabas.source"))
        .option("startingOffsets", "earliest")
        .load()
    )
    counted = (
        clicks.withWatermark("timestamp", "2 minutes")
        .groupBy(f.window("timestamp", "1 minute"), "key")
        .count()
    )
    return counted.selectExpr(
        "key",
        "to_json(named_struct('start', window.start, 'end', window.end, 'count', count)) AS value",
    )
