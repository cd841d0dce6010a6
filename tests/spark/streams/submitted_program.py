"""A user's program, which knows nothing of where Spark runs: a stream from a topic to another one.

`submitted_program.py SERVERS SOURCE TARGET CHECKPOINT GUARANTEE` for `spark-submit`, or for plain Python
with SPARK_REMOTE, prints how many records the target has in the end.
"""

import sys

from pyspark.sql import SparkSession

from barnabas.spark import despite_late_workers


def main(servers: str, source: str, target: str, checkpoint: str, guarantee: str) -> None:
    """Read all there is, in many small batches."""
    spark = SparkSession.builder.getOrCreate()
    stream = (
        spark.readStream.format("barnabas")
        .option("kafka.bootstrap.servers", servers)
        .option("subscribe", source)
        .option("startingOffsets", "earliest")
        .option("maxOffsetsPerTrigger", 100)
        .load()
    )

    def run() -> None:
        query = (
            stream.selectExpr("key", "value")
            .writeStream.format("barnabas")
            .option("kafka.bootstrap.servers", servers)
            .option("topic", target)
            .option("deliveryGuarantee", guarantee)
            .option("checkpointLocation", checkpoint)
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()

    despite_late_workers(run)
    reader = spark.read.format("barnabas").option("kafka.bootstrap.servers", servers)
    reader = reader.option("kafka.isolation.level", "read_committed").option("subscribe", target)
    sys.stdout.write(f"records: {reader.load().count()}\n")
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
