"""spark.readStream: restarts, limits, new and lost partitions. Nothing is lost, nothing doubled."""

import json
from pathlib import Path

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession

from tests.spark.running import PATIENCE_S, numbers_in, run_available, to_files
from tests.spark.topics import Topics

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]


def test_available_now_in_limited_batches_and_again_after_a_restart(
    spark: SparkSession, topics: Topics, tmp_path: Path, checkpoint: str
) -> None:
    topic, out = topics.create(3), tmp_path / "out"
    topics.send_numbers(topic, range(90), partitions=3)
    frame = topics.stream(spark, topic, startingOffsets="earliest", maxOffsetsPerTrigger=30).load()
    query = run_available(to_files(frame, out, checkpoint))
    sizes = [p.numInputRows for p in query.recentProgress if p.numInputRows]
    assert sizes == [30, 30, 30]
    last = query.lastProgress
    assert last is not None
    assert json.loads(last.sources[0].endOffset) == {topic: {"0": 30, "1": 30, "2": 30}}
    topics.send_numbers(topic, range(90, 100), partitions=3)
    run_available(to_files(frame, out, checkpoint))
    assert numbers_in(out) == list(range(100))


@pytest.mark.long
def test_a_trigger_by_time_reads_what_comes(
    spark: SparkSession, topics: Topics, tmp_path: Path, checkpoint: str
) -> None:
    topic, out = topics.create(), tmp_path / "out"
    topics.send_numbers(topic, range(5))
    query = to_files(topics.stream(spark, topic).load(), out, checkpoint).start()
    try:
        query.processAllAvailable()
        assert numbers_in(out) == []
        for start in (5, 10):
            topics.send_numbers(topic, range(start, start + 5))
            query.processAllAvailable()
        assert numbers_in(out) == list(range(5, 15))
    finally:
        query.stop()


@pytest.mark.parametrize("starting", ["latest", pytest.param("earliest", marks=pytest.mark.long)])
def test_nothing_is_lost_when_the_very_first_batch_failed(
    spark: SparkSession, topics: Topics, tmp_path: Path, checkpoint: str, starting: str
) -> None:
    """The start must not be found anew: meanwhile `latest` has moved."""
    topic, out = topics.create(), tmp_path / "out"
    topics.send_numbers(topic, range(5))
    frame = topics.stream(spark, topic, startingOffsets=starting).load()

    def fail(_batch: object, _number: int) -> None:
        raise RuntimeError("the first batch fails")

    broken = frame.writeStream.foreachBatch(fail).option("checkpointLocation", checkpoint)
    query = broken.start()
    with pytest.raises(StreamingQueryException, match="the first batch fails"):
        query.awaitTermination(PATIENCE_S)
    topics.send_numbers(topic, range(5, 10))
    again = broken.start()
    with pytest.raises(StreamingQueryException, match="the first batch fails"):
        again.awaitTermination(PATIENCE_S)
    topics.send_numbers(topic, range(10, 15))

    def keep(batch: object, number: int) -> None:
        batch.write.parquet(str(out / str(number)))  # type: ignore[attr-defined]

    mended = frame.writeStream.foreachBatch(keep).option("checkpointLocation", checkpoint)
    run_available(mended)
    rows = spark.read.parquet(*(str(each) for each in out.iterdir())).collect()
    first = 0 if starting == "earliest" else 5
    assert sorted(int(row.value) for row in rows) == list(range(first, 15))


@pytest.mark.long
def test_a_batch_that_failed_later_is_read_again_as_it_was(
    spark: SparkSession, topics: Topics, checkpoint: str
) -> None:
    topic = topics.create(2)
    topics.send_numbers(topic, range(20), partitions=2)
    frame = topics.stream(spark, topic, startingOffsets="earliest", maxOffsetsPerTrigger=10).load()
    tries: dict[int, list[list[int]]] = {}

    def flaky(batch: object, number: int) -> None:
        rows = batch.collect()  # type: ignore[attr-defined]
        tries.setdefault(number, []).append(sorted(int(row.value) for row in rows))
        if number == 1 and len(tries[1]) == 1:
            raise RuntimeError("the second half fails once")

    writer = frame.writeStream.foreachBatch(flaky).option("checkpointLocation", checkpoint)
    with pytest.raises(StreamingQueryException, match="fails once"):
        run_available(writer)
    topics.send_numbers(topic, range(20, 24), partitions=2)
    run_available(writer)
    assert tries[1][0] == tries[1][1]
    committed = [number for batch in tries.values() for number in batch[-1]]
    assert sorted(committed) == list(range(24))


@pytest.mark.long
def test_a_query_that_runs_once_reads_at_its_first_run(
    spark: SparkSession, topics: Topics, tmp_path: Path, checkpoint: str
) -> None:
    topic, out = topics.create(), tmp_path / "out"
    topics.send_numbers(topic, range(5))
    frame = topics.stream(spark, topic, startingOffsets="earliest").load()
    query = to_files(frame, out, checkpoint).trigger(once=True).start()
    assert query.awaitTermination(PATIENCE_S)
    assert numbers_in(out) == list(range(5))


@pytest.mark.long
def test_new_partitions_and_topics_of_a_pattern_are_found_while_running(
    spark: SparkSession, topics: Topics, tmp_path: Path, checkpoint: str
) -> None:
    topic, out = topics.create(), tmp_path / "out"
    topics.send_numbers(topic, range(5))
    source = (
        spark.readStream.format("barnabas")
        .option("kafka.bootstrap.servers", topics.servers)
        .option("subscribePattern", f"{topic}.*")
        .option("startingOffsets", "earliest")
    )
    query = to_files(source.load(), out, checkpoint).start()
    try:
        query.processAllAvailable()
        topics.grow(topic, 2)
        other = topics.create(name=f"{topic}-more")
        topics.send_numbers(topic, range(5, 11), partitions=2)
        topics.send_numbers(other, range(11, 15))
        _process_until(query, out, 15)
    finally:
        query.stop()
    assert numbers_in(out) == list(range(15))


@pytest.mark.long
def test_a_deleted_topic_is_data_loss_or_left_out(
    spark: SparkSession, topics: Topics, tmp_path: Path, checkpoint: str
) -> None:
    kept, gone, out = topics.create(), topics.create(), tmp_path / "out"
    topics.send_numbers(kept, range(5))
    topics.send_numbers(gone, range(5, 10))
    quick = {"startingOffsets": "earliest", "fetchOffset.retryIntervalMs": 10}
    names = f"{kept},{gone}"
    run_available(to_files(topics.stream(spark, names, **quick).load(), out, checkpoint))
    topics.delete(gone)
    topics.send_numbers(kept, range(10, 15))
    strict = to_files(topics.stream(spark, names, **quick).load(), out, checkpoint)
    with pytest.raises(StreamingQueryException, match=f"BARNABAS_DATA_LOSS.*{gone}-0 is gone"):
        run_available(strict)
    lenient = topics.stream(spark, names, failOnDataLoss="false", **quick).load()
    run_available(to_files(lenient, out, checkpoint))
    assert numbers_in(out) == list(range(15))


@pytest.mark.long
def test_a_topic_made_anew_is_data_loss_or_read_on(
    spark: SparkSession, topics: Topics, tmp_path: Path, checkpoint: str
) -> None:
    topic, out = topics.create(), tmp_path / "out"
    topics.send_numbers(topic, range(10))
    quick = {"startingOffsets": "earliest", "fetchOffset.retryIntervalMs": 10}
    frame = topics.stream(spark, topic, **quick).load()
    run_available(to_files(frame, out, checkpoint))
    topics.delete(topic)
    topics.create(name=topic)
    topics.send_numbers(topic, range(100, 104))
    with pytest.raises(
        StreamingQueryException, match=r"BARNABAS_DATA_LOSS.*went back from 10 to 4"
    ):
        run_available(to_files(frame, out, checkpoint))
    lenient = topics.stream(spark, topic, failOnDataLoss="false", **quick).load()
    run_available(to_files(lenient, out, checkpoint))
    topics.send_numbers(topic, range(104, 106))
    run_available(to_files(lenient, out, checkpoint))
    assert numbers_in(out) == [*range(10), 104, 105]


@pytest.mark.long
def test_records_that_retention_took_are_data_loss_or_left_out(
    spark: SparkSession, topics: Topics, tmp_path: Path, checkpoint: str
) -> None:
    topic, out = topics.create(), tmp_path / "out"
    topics.send_numbers(topic, range(5))
    frame = topics.stream(spark, topic, startingOffsets="earliest").load()
    run_available(to_files(frame, out, checkpoint))
    topics.send_numbers(topic, range(5, 15))
    topics.delete_before(topic, 10)
    with pytest.raises(StreamingQueryException, match=r"BARNABAS_DATA_LOSS.*from offset 5"):
        run_available(to_files(frame, out, checkpoint))
    lenient = topics.stream(spark, topic, failOnDataLoss="false").load()
    run_available(to_files(lenient, out, checkpoint))
    assert numbers_in(out) == [*range(5), *range(10, 15)]


def _process_until(query: object, out: Path, count: int) -> None:
    """A new partition is found within about a second: process until it was."""
    for _ in range(PATIENCE_S):
        query.processAllAvailable()  # type: ignore[attr-defined]
        if len(numbers_in(out)) >= count:
            return


def test_options_that_only_a_stream_refuses_are_named(
    spark: SparkSession, topics: Topics, tmp_path: Path
) -> None:
    """Spark asks for the schema first, of a batch and a stream alike: these come later."""
    topic = topics.create()
    frame = topics.stream(spark, topic, endingOffsets="latest").load()
    with pytest.raises(
        StreamingQueryException, match=r"BARNABAS_OPTION\] option 'endingOff"
    ) as raised:
        run_available(to_files(frame, tmp_path / "out", str(tmp_path / "checkpoint")))
    assert "Traceback" not in str(raised.value)
