"""The sink exactly once: tasks fail, the committing process dies, queries start again."""

from pathlib import Path

import pytest
from pyspark.errors import PySparkException, StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import DataSource, DataSourceStreamWriter, WriterCommitMessage
from pyspark.sql.streaming.readwriter import DataStreamWriter
from pyspark.sql.types import StructType

from barnabas.spark.sink.foreach_batch import ExactlyOnce
from tests.spark.running import run_available
from tests.spark.topics import Topics

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]

ONCE = {"deliveryGuarantee": "exactly-once"}


def committed(topics: Topics, topic: str) -> list[bytes]:
    """The values that readers of committed records see, sorted."""
    return sorted(each.value() or b"" for each in topics.committed(topic))


def numbers(topics: Topics, topic: str) -> list[int]:
    return sorted(map(int, committed(topics, topic)))


def to_topic(frame: DataFrame, topics: Topics, topic: str, checkpoint: str) -> DataStreamWriter:
    writer = frame.writeStream.format("barnabas").options(**ONCE)
    writer.option("kafka.bootstrap.servers", topics.servers).option("topic", topic)
    return writer.option("checkpointLocation", checkpoint)


def failing_once(folder: Path, spark: SparkSession, frame: DataFrame) -> DataFrame:
    """`frame`, of which each task fails the first time that it has a number that 7 divides."""
    marks = str(folder)

    def check(value: str) -> str:
        from pathlib import Path as Folder

        mark = Folder(marks) / value
        if int(value) % 7 == 0 and not mark.exists():
            mark.touch()
            raise RuntimeError("this task fails once")
        return value

    spark.udf.register("check", check)
    return frame.selectExpr("check(value) AS value")


def dying_between_commits(folder: Path) -> type[DataSource]:
    """Our sink, whose committing process dies once in each third batch: after its first commit."""
    from barnabas.spark.sink.writers import StreamWriter
    from pyspark_barnabas import DefaultSource

    marks = str(folder)

    class DyingWriter(StreamWriter):
        def commit(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803
            import os
            from pathlib import Path as Folder

            mark = Folder(marks) / f"batch-{batchId}"
            if batchId % 3 == 0 and not mark.exists():
                mark.touch()
                super().commit(messages[:1], batchId)
                os._exit(1)
            super().commit(messages, batchId)

    class DyingSource(DefaultSource):
        @classmethod
        def name(cls) -> str:
            return "dying"

        def streamWriter(self, schema: StructType, overwrite: bool) -> DataSourceStreamWriter:  # noqa: N802, FBT001
            plain = super().streamWriter(schema, overwrite)
            assert isinstance(plain, StreamWriter)
            made = DyingWriter.__new__(DyingWriter)
            made.__dict__.update(plain.__dict__)
            return made

    return DyingSource


def test_each_row_counts_once_over_restarts(
    spark: SparkSession, topics: Topics, checkpoint: str
) -> None:
    source, target = topics.create(2), topics.create(2)
    topics.send_numbers(source, range(30), partitions=2)
    stream = topics.stream(spark, source, startingOffsets="earliest", maxOffsetsPerTrigger=10)
    writer = to_topic(stream.schema("value string").load(), topics, target, checkpoint)
    run_available(writer)
    assert numbers(topics, target) == list(range(30))
    topics.send_numbers(source, range(30, 40), partitions=2)
    run_available(writer)
    assert numbers(topics, target) == list(range(40))


def test_what_dies_after_a_commit_is_not_written_again(
    spark: SparkSession, topics: Topics, checkpoint: str
) -> None:
    source, target = topics.create(2), topics.create()
    topics.send_numbers(source, range(20), partitions=2)
    stream = topics.stream(spark, source, startingOffsets="earliest").schema("value string").load()
    options = {"kafka.bootstrap.servers": topics.servers, "topic": target}
    write = ExactlyOnce("dies", options)
    died: list[int] = []

    def write_and_die(batch: DataFrame, number: int) -> None:
        write(batch, number)
        if not died:
            died.append(number)
            raise RuntimeError("dies after the commit")

    writer = stream.writeStream.foreachBatch(write_and_die)
    writer = writer.option("checkpointLocation", checkpoint)
    with pytest.raises(StreamingQueryException, match="dies after the commit"):
        run_available(writer)
    topics.send_numbers(source, range(20, 30), partitions=2)
    run_available(writer)
    assert died == [0]
    assert numbers(topics, target) == list(range(30))


def test_counts_of_mode_update(spark: SparkSession, topics: Topics, checkpoint: str) -> None:
    source, target = topics.create(), topics.create(2)
    topics.send_numbers(source, [1, 2, 2, 3])
    stream = topics.stream(spark, source, startingOffsets="earliest").schema("value string").load()
    counts = stream.groupBy("value").count()
    rows = counts.selectExpr("value AS key", "concat(value, '=', count) AS value")
    options = {"kafka.bootstrap.servers": topics.servers, "topic": target}
    writer = rows.writeStream.outputMode("update").foreachBatch(ExactlyOnce("counts", options))
    writer = writer.option("checkpointLocation", checkpoint)
    run_available(writer)
    topics.send_numbers(source, [3, 4])
    run_available(writer)
    assert committed(topics, target) == [b"1=1", b"2=2", b"3=1", b"3=2", b"4=1"]


@pytest.mark.long
def test_no_difference_after_many_faults(
    spark: SparkSession, topics: Topics, tmp_path: Path, checkpoint: str
) -> None:
    """Tasks fail, the committing process dies between two commits, the query starts again."""
    source, target = topics.create(2), topics.create(3)
    topics.send_numbers(source, range(300), partitions=2)
    marks = tmp_path / "marks"
    marks.mkdir()
    spark.dataSource.register(dying_between_commits(marks))
    stream = topics.stream(spark, source, startingOffsets="earliest", maxOffsetsPerTrigger=30)
    frame = failing_once(marks, spark, stream.schema("value string").load())
    writer = to_topic(frame, topics, target, checkpoint).format("dying")
    failures = 0
    while failures < 100:
        try:
            run_available(writer)
            break
        except StreamingQueryException:
            failures += 1
    found = [each.name for each in marks.iterdir()]
    assert len([each for each in found if each.isdecimal()]) == 43
    assert len([each for each in found if each.startswith("batch-")]) == 4
    assert failures >= 14
    assert numbers(topics, target) == list(range(300))


def test_a_write_that_fails_leaves_nothing(spark: SparkSession, topics: Topics) -> None:
    target = topics.create()
    frame = spark.sql("SELECT CAST(id AS STRING) value FROM range(0, 5000, 1, 1)")
    broken = frame.selectExpr("IF(value = '4999', raise_error('broken'), value) AS value")
    for each, what in ((broken, "broken"), (frame, "")):
        writer = each.write.format("barnabas").mode("append").options(**ONCE)
        writer.option("kafka.bootstrap.servers", topics.servers).option("topic", target)
        if what:
            with pytest.raises(PySparkException, match=what):
                writer.save()
            assert numbers(topics, target) == []
        else:
            writer.save()
    assert numbers(topics, target) == list(range(5000))
