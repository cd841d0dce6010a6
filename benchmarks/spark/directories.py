"""Spark on log directories beside Spark through our broker, on the same files, in turns in one session.

The records are those of `spark`: 100 B values with keys of 8 B in 4 partitions.
"""

from pyspark.sql import DataFrame, SparkSession

from barnabas.spark import session
from benchmarks.peers.brokers import BenchOurs
from benchmarks.plan import Plan
from benchmarks.report.result import Result
from benchmarks.spark.comparison import READ_ROWS, Comparison, seconds

GROUP = "spark_directories"
TOPIC = "bench-directories"
TARGET = 1.2
WITHOUT, THROUGH = "barnabas-log", "barnabas"
SCHEMAS = {"7 columns": "", "value only by schema": "value binary", "count, offset only": "offset long"}  # fmt: skip


def measure(plan: Plan) -> list[Result]:
    """The rows of group `spark_directories`."""
    spark = session("benchmarks", master="local[2]", settings={"spark.log.level": "FATAL"})
    try:
        with BenchOurs() as broker:
            rows = max(20_000, int(READ_ROWS * plan.scale))
            Comparison(plan, broker, spark).fill(TOPIC, rows)
            return [_row(plan, broker, spark, rows, name) for name in SCHEMAS]
    finally:
        spark.stop()


def _row(plan: Plan, broker: BenchOurs, spark: SparkSession, rows: int, name: str) -> Result:
    """One measure: a round that does not count, then the rounds, either way once in each."""
    rates: dict[str, list[float]] = {WITHOUT: [], THROUGH: []}
    for number in range(plan.rounds + 1):
        for way, found in rates.items():
            took = seconds(_frame(broker, spark, way, SCHEMAS[name]))
            if number:
                found.append(rows / took / 1e6)
                plan.progress(f"{name} {way}: {found[-1]:.2f} M rows/s")
    return Result(
        GROUP, f"log directory, {name}, 100 B", "M rows/s",
        tuple(rates[WITHOUT]), tuple(rates[THROUGH]), "through our broker", TARGET, "higher",
    )  # fmt: skip


def _frame(broker: BenchOurs, spark: SparkSession, way: str, schema: str) -> DataFrame:
    reader = spark.read.format(way).option("subscribe", TOPIC)
    if schema:
        reader = reader.schema(schema)
    if way == WITHOUT:
        return reader.load(str(broker.data_dir))
    return reader.option("kafka.bootstrap.servers", broker.bootstrap_servers).load()
