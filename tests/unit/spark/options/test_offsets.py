from barnabas.spark.options.offsets import offsets_from_json, offsets_to_json
from barnabas.types import TopicPartition


def test_offsets_are_written_as_spark_writes_them() -> None:
    offsets = {TopicPartition("b", 0): 1, TopicPartition("a", 10): 2, TopicPartition("a", 9): 3}
    written = offsets_to_json(offsets)
    assert list(written) == ["a", "b"]
    assert written == {"a": {"9": 3, "10": 2}, "b": {"0": 1}}
    assert list(written["a"]) == ["9", "10"]
    assert offsets_from_json(written) == offsets
