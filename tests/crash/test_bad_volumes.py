"""Brokers whose volumes are full, read-only or broken, as real processes."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka.admin import AdminClient, NewTopic

from barnabas import Admin
from tests.commands.served import run
from tests.crash.volumes import Volume, needs_root, read, running, volumes, write

VALUES = [b"%d" % number * 1000 for number in range(20)]
LARGE = [bytes(100_000)] * 3

pytestmark = needs_root


@pytest.fixture
def two(tmp_path: Path) -> Iterator[list[Volume]]:
    with volumes(tmp_path, "first", "second") as found:
        yield found


@pytest.fixture
def one(tmp_path: Path) -> Iterator[Volume]:
    with volumes(tmp_path, "only") as (found,):
        yield found


def log_of(volume: Volume) -> Path:
    return volume.path.parent / "broker.log"


def make(servers: str, topic: str, partitions: int) -> None:
    admin = AdminClient({"bootstrap.servers": servers})
    for outcome in admin.create_topics([NewTopic(topic, partitions, 1)]).values():
        outcome.result(60)


def places(volume: Volume, topic: str) -> list[int]:
    """Which partitions of a topic are on a volume."""
    found = volume.path.glob(f"{topic}-*")
    return sorted(int(path.name.rpartition("-")[2]) for path in found if path.name[-1].isdigit())


@pytest.mark.parametrize("kill", [True, False])
def test_a_full_volume_gives_what_it_has_and_takes_more_when_there_is_room(
    one: Volume, *, kill: bool
) -> None:
    log = log_of(one)
    with running([one.path], log) as broker:
        make(broker.servers, "dogs", 1)
        assert write(broker.servers, "dogs", 0, VALUES) == ["stored"] * 20
        ballast = one.fill()
        assert set(write(broker.servers, "dogs", 0, LARGE)) <= {
            "KAFKA_STORAGE_ERROR",
            "_MSG_TIMED_OUT",
        }
        assert read(broker.servers, "dogs", 0, 20) == VALUES
        if kill:
            broker.kill()
        else:
            assert broker.stop() == 0
    with running([one.path], log) as broker:
        assert read(broker.servers, "dogs", 0, 20) == VALUES
        assert "stored" not in write(broker.servers, "dogs", 0, LARGE)
        assert read(broker.servers, "dogs", 0, 20) == VALUES
        ballast.unlink()
        while write(broker.servers, "dogs", 0, [b"room"]) != ["stored"]:
            assert broker.process.poll() is None
        assert read(broker.servers, "dogs", 0, 21) == [*VALUES, b"room"]
    with running([one.path], log) as broker:
        assert read(broker.servers, "dogs", 0, 21) == [*VALUES, b"room"]
    assert "is offline" not in log.read_text()


@pytest.mark.parametrize("broken", [0, 1])
def test_one_of_two_that_is_read_only_is_offline_alone(two: list[Volume], broken: int) -> None:
    paths, log = [volume.path for volume in two], log_of(two[0])
    with running(paths, log) as broker:
        make(broker.servers, "dogs", 4)
        for index in range(4):
            assert write(broker.servers, "dogs", index, VALUES) == ["stored"] * 20
    bad, good = two[broken], two[1 - broken]
    there, gone = places(good, "dogs"), places(bad, "dogs")
    assert len(there) == len(gone) == 2
    bad.be_writable(allowed=False)
    log.unlink()
    with running(paths, log) as broker:
        for index in there:
            assert read(broker.servers, "dogs", index, 20) == VALUES
            assert write(broker.servers, "dogs", index, [b"more"]) == ["stored"]
        make(broker.servers, "cats", 2)
        assert places(good, "cats") == [0, 1]
        with Admin(bootstrap_servers=broker.servers) as admin:
            assert set(admin.list_topics()) == {"cats", "dogs"}
    assert f"directory {bad.path} is offline" in log.read_text()
    bad.be_writable(allowed=True)
    log.unlink()
    with running(paths, log) as broker:
        for index in range(4):
            more = [b"more"] if index in there else []
            assert read(broker.servers, "dogs", index, 20 + len(more)) == VALUES + more
    assert "error" not in log.read_text()


def test_the_only_one_read_only_is_refused_in_one_sentence(one: Volume) -> None:
    one.be_writable(allowed=False)
    done = run("serve", "--port", "0", "--data-dir", str(one.path))
    assert (done.code, done.out) == (1, "")
    assert done.err == (
        f"barnabas: cannot use log directory {one.path}: cannot open {one.path}/.lock: "
        "Read-only file system: make it usable, or take another (log.dirs)\n"
    )


def test_new_partitions_go_where_there_is_room(two: list[Volume]) -> None:
    paths, log = [volume.path for volume in two], log_of(two[0])
    with running(paths, log) as broker:
        two[0].fill()
        make(broker.servers, "dogs", 4)
        assert places(two[1], "dogs") == [0, 1, 2, 3]
        assert write(broker.servers, "dogs", 3, VALUES) == ["stored"] * 20
    with running(paths, log) as broker:
        assert read(broker.servers, "dogs", 3, 20) == VALUES
