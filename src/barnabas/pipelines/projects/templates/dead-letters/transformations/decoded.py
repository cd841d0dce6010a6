"""What each record is as an order; column `bad` has what Spark could not decode."""

from pyspark import pipelines as dp
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

spark = SparkSession.active()

ORDER = "customer STRING, amount DOUBLE, bad STRING"


@dp.temporary_view
def decoded() -> DataFrame:
    records = (
        spark.readStream.format("barnabas")
        .option("kafka.bootstrap.servers", spark.conf.get("spark.barnabas.servers"))
        .option("subscribe", spark.conf.get("spark.barnabas.source"))
        .option("startingOffsets", "earliest")
        .load()
    )
    text = f.col("value").cast("string")
    return records.withColumn(
        "parsed", f.from_json(text, ORDER, {"columnNameOfCorruptRecord": "bad"})
    )
