import json
from pathlib import Path

import pytest

from barnabas.cli.cluster.plan_file import read_plan, write_plan
from barnabas.errors import ConfigError
from barnabas.types import TopicPartition


def test_what_is_written_is_read(tmp_path: Path) -> None:
    replicas = {TopicPartition("dogs", 0): (1, 2), TopicPartition("cats", 7): (3,)}
    write_plan(tmp_path / "plan.json", replicas)
    assert read_plan(tmp_path / "plan.json") == replicas


def test_a_file_of_kafkas_tool_is_read(tmp_path: Path) -> None:
    row = {"topic": "dogs", "partition": 0, "replicas": [2, 1], "log_dirs": ["any", "any"]}
    (tmp_path / "plan.json").write_text(json.dumps({"version": 1, "partitions": [row]}))
    assert read_plan(tmp_path / "plan.json") == {TopicPartition("dogs", 0): (2, 1)}


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"partition": 0, "replicas": [1]}, r"partitions\[0\].topic: expected a name, not None"),
        ({"topic": "t", "partition": -1, "replicas": [1]}, "partition: expected a number from 0"),
        ({"topic": "t", "partition": True, "replicas": [1]}, "partition: expected a number from 0"),
        ({"topic": "t", "partition": 0, "replicas": []}, "replicas: expected a list of broker ids"),
        ({"topic": "t", "partition": 0, "replicas": ["1"]}, "expected a list of broker ids"),
        ({"topic": "t", "partition": 0, "replicas": [1, 1]}, "a broker is named twice"),
        (7, "expected an object with topic, partition and replicas"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, row: object, says: str) -> None:
    (tmp_path / "plan.json").write_text(json.dumps({"version": 1, "partitions": [row]}))
    with pytest.raises(ConfigError, match=says):
        read_plan(tmp_path / "plan.json")


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"version": 2}', '{"version": 1}'])
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "plan.json").write_text(text)
    with pytest.raises(ConfigError, match=r"plan\.json"):
        read_plan(tmp_path / "plan.json")
