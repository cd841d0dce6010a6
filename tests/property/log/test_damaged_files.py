"""One small file of a log directory is damaged: what is read is the same, or the start says why not."""

import random
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest

from barnabas.errors import StorageError
from barnabas.log.directories.checkpoints import LOG_START
from barnabas.log.directories.meta_properties import META_PROPERTIES
from barnabas.types import TopicPartition
from tests.damaged_directories import (
    CLEAN,
    Contents,
    Damage,
    Opened,
    copy_of,
    damage,
    is_undetectable,
    make_directory,
    opened,
    read,
)

VECTORS = Path(__file__).parents[2] / "vectors" / "logs"
OURS = "ours"
SOURCES = [OURS, *sorted(path.name for path in VECTORS.glob("kafka-*"))]
OF_BYTES = TopicPartition("bytes", 0)


@cache
def source(name: str) -> Path:
    if name != OURS:
        return VECTORS / name
    path = Path(mkdtemp()) / "data"
    path.mkdir()
    make_directory(path)
    return path


@cache
def undamaged(name: str) -> Opened:
    return opened(copy_of(source(name), Path(mkdtemp()) / "data"))


def check(name: str, seed: int, scratch: Path) -> None:
    chance = random.Random(f"{name} {seed}")
    path = copy_of(source(name), scratch / "data")
    if chance.random() < 0.5:
        (path / CLEAN).unlink(missing_ok=True)
    done = damage(path, chance)
    before = read(path / done.file)
    where = f"{name} seed {seed}: {done}"
    try:
        found = opened(path, append=True)
    except StorageError as error:
        # Whose directory it is nobody can find out.
        if done.file == META_PROPERTIES and META_PROPERTIES in str(error):
            return
        raise AssertionError(where) from error
    if is_undetectable(source(name), done, before):
        return
    compare(undamaged(name), found, done, where)


def compare(expected: Opened, found: Opened, done: Damage, where: str) -> None:
    assert found.offline == {}, where
    assert found.logs.keys() == expected.logs.keys(), where
    for log, wanted in expected.logs.items():
        start, had = found.starts[log], expected.starts[log]
        if done.file != LOG_START:
            assert start == had, f"{where} {log}"
        # Without that file nobody knows what was deleted from the middle of a segment.
        both = max(start, had)
        one, other = wanted.from_offset(both), found.logs[log].from_offset(both)
        for field in Contents._fields:
            depends_on_start = field in ("times", "newest", "epochs", "ends_of_epochs")
            if (start != had and depends_on_start) or (log == OF_BYTES and "epochs" in field):
                continue  # Messages of Kafka 0.7 have no epochs.
            assert getattr(other, field) == getattr(one, field), f"{where} {log} {field}"


@pytest.mark.parametrize("name", SOURCES)
def test_one_damaged_file_changes_nothing_that_is_read(name: str, tmp_path: Path) -> None:
    for seed in range(12):
        check(name, seed, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("name", SOURCES)
def test_many_damaged_files(name: str, tmp_path: Path) -> None:
    for seed in range(1000, 1400):
        check(name, seed, tmp_path)
