"""Reassignment plans as JSON files, in the format of kafka-reassign-partitions."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeGuard

from barnabas.errors import ConfigError
from barnabas.types import TopicPartition

_VERSION = 1


def write_plan(path: Path, replicas: Mapping[TopicPartition, Sequence[int]]) -> None:
    """Write the replicas of partitions.

    Raises:
        OSError: the file cannot be written.
    """
    rows = [{**place._asdict(), "replicas": [*brokers]} for place, brokers in replicas.items()]
    path.write_text(json.dumps({"version": _VERSION, "partitions": rows}, indent=1) + "\n")


def read_plan(path: Path) -> dict[TopicPartition, tuple[int, ...]]:
    """Read the replicas of partitions.

    Raises:
        ConfigError: a part is missing or wrong; the message names it.
        OSError: the file cannot be read.
    """
    try:
        document = json.loads(path.read_bytes())
    except ValueError as error:
        raise ConfigError(f"{path}: not JSON: {error}") from error
    if not isinstance(document, dict) or document.get("version") != _VERSION:
        raise ConfigError(f"{path}: expected an object with version {_VERSION}")
    rows = document.get("partitions")
    if not isinstance(rows, list) or not rows:
        raise ConfigError(f"{path}: partitions: expected a list with at least one partition")
    found: dict[TopicPartition, tuple[int, ...]] = {}
    for index, row in enumerate(rows):
        place, brokers = _row(row, f"{path}: partitions[{index}]")
        if place in found:
            raise ConfigError(f"{path}: partitions[{index}]: {place.topic}:{place.partition} again")
        found[place] = brokers
    return found


def _row(row: Any, where: str) -> tuple[TopicPartition, tuple[int, ...]]:
    if not isinstance(row, dict):
        raise ConfigError(f"{where}: expected an object with topic, partition and replicas")
    topic, partition, brokers = row.get("topic"), row.get("partition"), row.get("replicas")
    if not isinstance(topic, str) or not topic:
        raise ConfigError(f"{where}.topic: expected a name, not {topic!r}")
    if not _is_number(partition):
        raise ConfigError(f"{where}.partition: expected a number from 0, not {partition!r}")
    if not isinstance(brokers, list) or not brokers or not all(map(_is_number, brokers)):
        raise ConfigError(f"{where}.replicas: expected a list of broker ids, not {brokers!r}")
    if len(set(brokers)) != len(brokers):
        raise ConfigError(f"{where}.replicas: a broker is named twice: {brokers}")
    return TopicPartition(topic, partition), tuple(brokers)


def _is_number(value: Any) -> TypeGuard[int]:
    return type(value) is int and value >= 0
