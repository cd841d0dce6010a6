"""Checkpoints as Spark writes them."""

from pathlib import Path

from barnabas.pipelines.projects.checkpoints import flow_name, flow_positions
from barnabas.types import TopicPartition

HEAD = 'v1\n{"batchWatermarkMs":0,"batchTimestampMs":1700000000000}\n'


def write_batches(version: Path, planned: list[str], finished: int) -> None:
    for part in ("offsets", "commits"):
        (version / part).mkdir(parents=True)
    for batch, line in enumerate(planned):
        (version / f"offsets/{batch}").write_text(HEAD + line)
    for batch in range(finished):
        (version / f"commits/{batch}").write_text("v1\n{}")
    (version / "offsets/.0.crc").write_text("")


def test_the_last_finished_batch_of_the_newest_version(tmp_path: Path) -> None:
    flows = tmp_path / "_checkpoints/target/copy"
    write_batches(flows / "0", ['{"a":{"0":7}}'] * 3, finished=3)
    write_batches(flows / "10", ['{"a":{"0":1,"1":2}}', '{"a":{"0":9,"1":9}}'], finished=1)
    write_batches(flows / "9", ['{"a":{"0":7}}'], finished=1)
    (found,) = flow_positions(tmp_path)
    assert (found.flow, found.batch, found.planned_ms) == ("copy", 0, 1_700_000_000_000)
    assert found.offsets == {TopicPartition("a", 0): 1, TopicPartition("a", 1): 2}
    assert found.pending


def test_a_flow_that_reads_a_table_has_no_topics(tmp_path: Path) -> None:
    write_batches(tmp_path / "_checkpoints/silver/silver/0", ['{"logOffset":0}'], finished=1)
    (found,) = flow_positions(tmp_path)
    assert (found.flow, found.offsets, found.pending) == ("silver", {}, False)


def test_nothing_has_run(tmp_path: Path) -> None:
    assert flow_positions(tmp_path / "storage") == []
    write_batches(tmp_path / "storage/_checkpoints/a/a/0", ["-"], finished=0)
    assert flow_positions(tmp_path / "storage") == []


def test_a_flow_has_one_name_wherever_it_is_shown() -> None:
    events = ("`spark_catalog`.`default`.`bronze`", "spark_catalog.default.bronze", "bronze")
    assert {flow_name(each) for each in events} == {"bronze"}
