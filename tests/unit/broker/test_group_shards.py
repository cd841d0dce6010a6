"""What groups are when a record that says so could not be written: what the log says."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from barnabas.broker.group_shards import GroupShards
from barnabas.coordinators.consumer_group.beating import Beat
from barnabas.coordinators.consumer_group.places import Place
from barnabas.coordinators.share_group.groups import ShareBeat, ShareSettings
from barnabas.errors import ErrorCode
from tests.unit.broker.test_group_offsets import Started

NOT_WRITTEN = ErrorCode.COORDINATOR_NOT_AVAILABLE
SHARED = ShareSettings(session_ms=1000, heartbeat_ms=100, assignment_interval_ms=0, max_size=10)


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Started]:
    """With a consumer group and a share group that nobody is in any more."""
    one = Started(tmp_path)
    groups = one.broker.groups
    held, share = groups.of("g"), groups.of("s")
    for epoch in (0, -1):
        topics = None if epoch else ("dogs",)
        who = {"member_id": "m", "epoch": epoch, "client_id": "c", "client_host": "/h"}
        beat = Beat(group_id="g", topics=topics, rebalance_timeout_ms=500, **who)  # type: ignore[arg-type]
        groups.append(held, held.shard.consumer.heartbeat(beat, None, 0).records, print)
        asked = ShareBeat(group_id="s", topics=topics, **who)  # type: ignore[arg-type]
        groups.append(share, share.shard.share.heartbeat(asked, SHARED, 0).records, print)
    groups.write()
    yield one
    one.stop()


@pytest.fixture
def failing(started: Started, monkeypatch: pytest.MonkeyPatch) -> Started:
    def fail(
        _self: object, _held: object, _records: object, told: Callable[[ErrorCode], None]
    ) -> None:
        told(NOT_WRITTEN)

    monkeypatch.setattr(GroupShards, "_append", fail)
    return started


def test_groups_that_could_not_be_deleted_are_there(failing: Started) -> None:
    told: list[object] = []
    failing.broker.group_removal.delete_groups(["g"], told.append)
    assert told == [{"g": NOT_WRITTEN}]
    assert failing.broker.groups.of("g").shard.consumer.get("g") is not None


def test_groups_that_could_not_expire_are_there(failing: Started) -> None:
    failing.broker.offsets.expire()
    assert failing.broker.groups.of("g").shard.consumer.get("g") is not None


def test_what_share_groups_have_read_is_what_is_written(failing: Started) -> None:
    broker = failing.broker
    place = Place(failing.topic_id(), 0)
    before = broker.shares.offsets.group("s").read
    assert place in before
    broker.shares.offsets.forget("s", [place], lambda _codes: None)
    assert broker.shares.offsets.group("s").read == before
