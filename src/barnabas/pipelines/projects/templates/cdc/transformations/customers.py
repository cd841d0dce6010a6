"""Keeps the latest row of each customer."""

from pyspark import pipelines as dp
from pyspark.sql import DataFrame, SparkSession

spark = SparkSession.active()


@dp.temporary_view
def changes() -> DataFrame:
    return (
        spark.readStream.format("barnabas")
        .option("kafka.bootstrap.servers", spark.conf.get("spark.barnabas.servers"))
        .option("subscribe", spark.conf.get("spark.barnabas.source"))
        .option("startingOffsets", "earliest")
        .load()
        .selectExpr(
            "CAST(key AS STRING) AS customer",
            "CAST(value AS STRING) AS row",
            "offset AS change",
        )
    )


dp.create_streaming_table("customers")

# A key's changes are in one partition, so that their offsets are in their order.
dp.create_auto_cdc_flow(
    target="customers",
    source="changes",
    keys=["customer"],
    sequence_by="change",
    apply_as_deletes="row IS NULL",
    stored_as_scd_type=1,
)
