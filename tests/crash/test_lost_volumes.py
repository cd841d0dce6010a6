"""Brokers of which something is not there at the start: a volume, a partition, a segment."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient, NewTopic

from tests.commands.served import run
from tests.crash.volumes import Volume, needs_root, read, running, volumes, write

VALUES = [b"%d" % number * 100 for number in range(20)]


@pytest.fixture
def two(tmp_path: Path) -> Iterator[list[Volume]]:
    with volumes(tmp_path, "first", "second") as found:
        yield found


def make(servers: str, topic: str, partitions: int) -> None:
    admin = AdminClient({"bootstrap.servers": servers})
    for outcome in admin.create_topics([NewTopic(topic, partitions, 1)]).values():
        outcome.result(60)


def indexes(path: Path) -> list[int]:
    return sorted(int(each.name.rpartition("-")[2]) for each in path.glob("dogs-[0-9]"))


@needs_root
@pytest.mark.parametrize("gone", [0, 1])
@pytest.mark.parametrize("kill", [True, False])
def test_a_volume_that_is_not_mounted_is_not_an_empty_one(
    two: list[Volume], tmp_path: Path, gone: int, *, kill: bool
) -> None:
    """Also where it is the first one, which had the registry in it."""
    paths, log = [volume.path for volume in two], tmp_path / "broker.log"
    with running(paths, log) as broker:
        make(broker.servers, "dogs", 4)
        for index in range(4):
            assert write(broker.servers, "dogs", index, VALUES) == ["stored"] * 20
        away = indexes(paths[gone])
        if kill:
            broker.kill()
    assert len(away) == 2
    two[gone].take_away()
    log.unlink()
    with running(paths, log) as broker:
        for index in set(range(4)) - set(away):
            assert read(broker.servers, "dogs", index, 20) == VALUES
            assert write(broker.servers, "dogs", index, [b"more"]) == ["stored"]
        metadata = AdminClient({"bootstrap.servers": broker.servers}).list_topics(
            "dogs", timeout=60
        )
        partitions = metadata.topics["dogs"].partitions
        assert sorted(one.id for one in partitions.values() if one.leader == -1) == away
        assert write(broker.servers, "dogs", away[0], [b"lost"]) != ["stored"]
        listed = run("topics", "offline", servers=broker.servers)
        assert listed.lines == [f"dogs\t{index}" for index in away]
        assert list(paths[gone].iterdir()) == []
    given = log.read_text()
    assert (
        f"directory {paths[gone]} is offline: {paths[gone]} is empty, and the broker has 2" in given
    )
    assert f"offline with it: dogs-{away[0]}, dogs-{away[1]}" in given
    two[gone].bring_back()
    log.unlink()
    with running(paths, log) as broker:
        for index in range(4):
            more = [] if index in away else [b"more"]
            assert read(broker.servers, "dogs", index, 20 + len(more)) == VALUES + more
    assert "error" not in log.read_text()


@needs_root
def test_what_is_given_up_goes_on_behind_what_was_read_and_what_returns_is_kept(
    two: list[Volume], tmp_path: Path
) -> None:
    paths, log = [volume.path for volume in two], tmp_path / "broker.log"
    with running(paths, log) as broker:
        make(broker.servers, "dogs", 2)
        for index in range(2):
            assert write(broker.servers, "dogs", index, VALUES) == ["stored"] * 20
    two[1].take_away()
    with running(paths, log) as broker:
        (index,) = {0, 1} - set(indexes(paths[0]))
        place = f"dogs:{index}"
        refused = run("topics", "give-up", place, servers=broker.servers)
        assert (refused.code, refused.out) == (2, "")
        assert f"no terminal to ask for confirmation: --yes gives up {place}" in refused.err
        done = run("topics", "give-up", place, "--yes", servers=broker.servers)
        assert (done.code, done.out) == (0, f"dogs\t{index}\t20\t20\n"), done.err
        assert write(broker.servers, "dogs", index, [b"new"]) == ["stored"]
        assert read(broker.servers, "dogs", index, 1) == [b"new"]
        again = run("topics", "give-up", place, "--yes", servers=broker.servers)
        assert (again.code, f"{place} is not offline" in again.err) == (1, True)
    two[1].bring_back()
    with running(paths, log) as broker:
        assert read(broker.servers, "dogs", index, 1) == [b"new"]
        assert read(broker.servers, "dogs", 1 - index, 20) == VALUES
        (stray,) = paths[1].glob("dogs-*-stray")
        dumped = run("log", "dump", "--records", str(next(stray.glob("*.log"))))
        assert VALUES[3].decode() in dumped.out


@pytest.mark.parametrize("kill", [True, False])
def test_a_partition_that_is_missing_gets_no_new_log(tmp_path: Path, *, kill: bool) -> None:
    data, log = tmp_path / "data", tmp_path / "broker.log"
    with running([data], log) as broker:
        make(broker.servers, "dogs", 2)
        for index in range(2):
            assert write(broker.servers, "dogs", index, VALUES) == ["stored"] * 20
        if kill:
            broker.kill()
    shutil.move(data / "dogs-1", tmp_path / "away")
    log.unlink()
    with running([data], log) as broker:
        assert read(broker.servers, "dogs", 0, 20) == VALUES
        assert write(broker.servers, "dogs", 1, [b"lost"]) != ["stored"]
        with pytest.raises((KafkaException, AssertionError)):
            read(broker.servers, "dogs", 1, 1, seconds=10)
        assert not (data / "dogs-1").exists()
    (line,) = [one for one in log.read_text().splitlines() if "error" in one]
    assert f"{data}/dogs-1 is not there" in line
    assert "Put it back and start again" in line
    shutil.move(tmp_path / "away", data / "dogs-1")
    with running([data], log) as broker:
        assert read(broker.servers, "dogs", 1, 20) == VALUES


def test_a_topic_with_a_partition_that_is_missing_can_be_deleted(tmp_path: Path) -> None:
    data, log = tmp_path / "data", tmp_path / "broker.log"
    with running([data], log) as broker:
        make(broker.servers, "dogs", 2)
    shutil.rmtree(data / "dogs-1")
    with running([data], log) as broker:
        assert run("topics", "delete", "dogs", "--yes", servers=broker.servers).code == 0
        make(broker.servers, "dogs", 2)
        assert write(broker.servers, "dogs", 1, VALUES) == ["stored"] * 20
    with running([data], log) as broker:
        assert read(broker.servers, "dogs", 1, 20) == VALUES
