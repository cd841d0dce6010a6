"""The clean orders, back to a topic."""

from pyspark import pipelines as dp
from pyspark.sql import DataFrame, SparkSession

spark = SparkSession.active()

dp.create_sink(
    "target",
    "barnabas",
    {
        "kafka.bootstrap.servers": spark.conf.get("spark.barnabas.servers"),
        "topic": spark.conf.get("spark.barnabas.target"),
        "deliveryGuarantee": "exactly-once",
    },
)


@dp.append_flow(target="target")
def clean() -> DataFrame:
    silver = spark.readStream.table("silver")
    return silver.selectExpr(
        "customer AS key", "to_json(named_struct('customer', customer, 'amount', amount)) AS value"
    )
