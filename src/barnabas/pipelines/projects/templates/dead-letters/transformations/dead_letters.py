"""The records that are no orders: as they came, with their place and the reason in headers."""

from pyspark import pipelines as dp
from pyspark.sql import DataFrame, SparkSession

spark = SparkSession.active()

dp.create_sink(
    "dead_letters",
    "barnabas",
    {
        "kafka.bootstrap.servers": spark.conf.get("spark.barnabas.servers"),
        "topic": spark.conf.get("spark.barnabas.dead_letters"),
        "deliveryGuarantee": "exactly-once",
    },
)

REASON = """CASE
    WHEN value IS NULL THEN 'no value'
    WHEN parsed.bad IS NOT NULL THEN 'no JSON of an order'
    WHEN parsed.customer IS NULL THEN 'no customer'
    WHEN parsed.amount IS NULL THEN 'no amount'
END"""
HEADERS = """array(
    named_struct('key', 'reason', 'value', CAST(reason AS BINARY)),
    named_struct('key', 'partition', 'value', CAST(CAST(partition AS STRING) AS BINARY)),
    named_struct('key', 'offset', 'value', CAST(CAST(offset AS STRING) AS BINARY))
)"""


@dp.append_flow(target="dead_letters")
def refuse() -> DataFrame:
    judged = spark.readStream.table("decoded").selectExpr("*", f"{REASON} AS reason")
    return judged.where("reason IS NOT NULL").selectExpr("key", "value", f"{HEADERS} AS headers")
