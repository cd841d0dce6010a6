"""Running streaming queries to a known point; what arrived, in plain Python."""

from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

PATIENCE_S = 60


def to_files(frame: DataFrame, folder: Path, checkpoint: str) -> DataStreamWriter:
    """A writer that keeps exactly what each committed batch had."""
    return (
        frame.writeStream.format("parquet")
        .option("path", str(folder))
        .option("checkpointLocation", checkpoint)
    )


def run_available(writer: DataStreamWriter) -> StreamingQuery:
    """Run until all that is there was read."""
    query = writer.trigger(availableNow=True).start()
    assert query.awaitTermination(PATIENCE_S), "the query did not end"
    return query


def numbers_in(spark: SparkSession, folder: Path) -> list[int]:
    """The values that arrived, sorted, as numbers."""
    if not (folder / "_spark_metadata").exists():
        return []
    rows = spark.read.parquet(str(folder)).selectExpr("CAST(value AS STRING) AS value").collect()
    return sorted(int(row.value) for row in rows)
