"""Bronze: every record of the topic, as it came."""

from pyspark import pipelines as dp
from pyspark.sql import DataFrame, SparkSession

spark = SparkSession.active()


@dp.table
def bronze() -> DataFrame:
    return (
        spark.readStream.format("barnabas")
        .option("kafka.bootstrap.servers", spark.conf.get("spark.barnabas.servers"))
        .option("subscribe", spark.conf.get("spark.barnabas.source"))
        .option("startingOffsets", "earliest")
        .load()
    )
