"""A Spark application over Spark's own Kafka connector: write, read back, stream; writes JSON out.

Run by `test_spark_connector` in a process of its own: `spark_job.py ADDRESS TOPIC JARS FOLDER`.
"""

import json
import sys
from pathlib import Path

from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as f

ROWS = 5000


def rows(spark: SparkSession) -> DataFrame:
    """Rows with null keys, tombstones and headers among them."""
    index = f.col("id").cast("string")
    name_and_value = f.struct(f.lit("row").alias("key"), index.cast("binary").alias("value"))
    return spark.range(ROWS).select(
        f.when(f.col("id") % 7 != 0, f.concat(f.lit("k"), index)).alias("key"),
        f.when(f.col("id") % 11 != 0, f.concat(f.lit("value "), index)).alias("value"),
        f.when(f.col("id") % 3 == 0, f.array(name_and_value)).alias("headers"),
    )


def as_text(row: Row) -> str:
    """Key, value and headers of a row, nulls distinguished from empty ones."""
    headers = [(each.key, bytes(each.value)) for each in row.headers or ()]
    return repr((plain(row.key), plain(row.value), headers))


def plain(value: bytearray | str | None) -> bytes | None:
    """What was sent as text comes back as bytes."""
    return value.encode() if isinstance(value, str) else None if value is None else bytes(value)


def main(address: str, topic: str, jars: str, folder: str) -> None:
    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.jars", jars)
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.sql.session.timeZone", "UTC")
        .getOrCreate()
    )
    options = {"kafka.bootstrap.servers": address, "subscribe": topic, "includeHeaders": "true"}
    sent = rows(spark)
    sent.write.format("kafka").option("kafka.bootstrap.servers", address).option(
        "topic", topic
    ).option("includeHeaders", "true").mode("append").save()

    read = spark.read.format("kafka").options(**options).load()
    found: dict[str, object] = {"records": sorted(map(as_text, read.collect()))}
    found["expected"] = sorted(map(as_text, sent.collect()))
    found["offsets"] = [[row.partition, row.offset] for row in read.collect()]

    streamed = spark.readStream.format("kafka").options(**options)
    query = (
        streamed.option("startingOffsets", "earliest")
        .option("maxOffsetsPerTrigger", "2000")
        .load()
        .writeStream.format("parquet")
        .option("checkpointLocation", str(Path(folder) / "checkpoint"))
        .trigger(availableNow=True)
        .start(str(Path(folder) / "rows"))
    )
    query.awaitTermination()
    found["streamed"] = spark.read.parquet(str(Path(folder) / "rows")).count()
    found["batches"] = len(list((Path(folder) / "checkpoint" / "commits").glob("[0-9]*")))
    sys.stdout.write(json.dumps(found) + "\n")
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:5])
